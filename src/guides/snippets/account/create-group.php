$store = "/instances/" . getenv("INSTANCE_ID");
$made = api("POST", "$store/groups", ["subject" => "Orders", "participants" => ["5511900000002"]]);
foreach ($made["participants"] as $person) {
    echo $person["id"], " ", $person["status"], " ", $person["reason"], PHP_EOL;
}
api("POST", "$store/messages/text", ["chat_id" => $made["data"]["group_id"], "text" => "Welcome!"]);
