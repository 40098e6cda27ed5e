store = f"/instances/{os.environ['INSTANCE_ID']}"
sent = api("POST", f"{store}/messages/text", {"to": "5511900000002", "text": "Hello!"})["data"]
