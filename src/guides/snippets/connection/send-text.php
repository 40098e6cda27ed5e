["message_id" => $messageId] = api("POST", "/messages/text", ["to" => "5511900000002", "text" => "Olá!"]);
