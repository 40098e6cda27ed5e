message_id = api("POST", "/messages/text", {"to": "5511900000002", "text": "Olá!"})["message_id"]
