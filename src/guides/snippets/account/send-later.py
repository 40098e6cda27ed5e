from datetime import datetime, timedelta

messages = f"/instances/{os.environ['INSTANCE_ID']}/messages"
tomorrow = (datetime.now().astimezone() + timedelta(days=1)).replace(hour=9, minute=0, second=0, microsecond=0)
delivery = {"at": tomorrow.isoformat()}
sent = api("POST", f"{messages}/text", {"to": "5511900000002", "text": "Good morning!", "delivery": delivery})["data"]
print(sent["status"])
# The customer cancelled, so nothing is sent.
print(api("DELETE", f"{messages}/waiting/{sent['message_id']}")["data"]["count"])
