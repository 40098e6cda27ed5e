$store = "/instances/" . getenv("INSTANCE_ID");
$people = ["5511900000002" => "Ana Souza", "5511900009999" => "Rui Costa"];
foreach (api("POST", "$store/contacts/check", ["phones" => array_map("strval", array_keys($people))])["data"] as $check) {
    if ($check["exists"]) {
        api("PUT", "$store/contacts/{$check['chat_id']}", ["full_name" => $people[$check["phone"]]]);
    } else {
        echo $check["phone"], " has no account", PHP_EOL;
    }
}
