$messages = "/instances/" . getenv("INSTANCE_ID") . "/messages";
$delivery = ["at" => (new DateTime("tomorrow 9:00"))->format(DATE_RFC3339)];
$sent = api("POST", "$messages/text", ["to" => "5511900000002", "text" => "Good morning!", "delivery" => $delivery])["data"];
echo $sent["status"], PHP_EOL;
// The customer cancelled, so nothing is sent.
echo api("DELETE", "$messages/waiting/" . $sent["message_id"])["data"]["count"], PHP_EOL;
