$instance = "/instances/" . getenv("INSTANCE_ID");
$data = api("GET", "$instance/contacts/5511900000002/reachability")["data"];
$message = ["to" => "5511900000002", "text" => "Your order is on its way"];
if ($data["advice"] === "send") {
    api("POST", "$instance/messages/text", $message);
}
if ($data["advice"] === "wait") {
    api("POST", "$instance/messages/text", $message + ["delivery" => new stdClass()]);
}
echo $data["advice"], " ", $data["why"], PHP_EOL;
