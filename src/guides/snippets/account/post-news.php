$store = "/instances/" . getenv("INSTANCE_ID");
$channels = api("GET", "$store/channels?role=owner")["data"];
$channel = $channels[0] ?? api("POST", "$store/channels", ["name" => "News of the store"])["data"];
api("POST", "$store/channels/{$channel['channel_id']}/messages/text", ["text" => "We have moved."]);
api("POST", "$store/status/text", ["text" => "We have moved.", "recipients" => ["5511900000002"]]);
echo $channel["invite_link"], PHP_EOL;
