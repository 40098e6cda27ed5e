$store = "/instances/" . getenv("INSTANCE_ID");
["data" => $sent] = api("POST", "$store/messages/text", ["to" => "5511900000002", "text" => "Hello!"]);
