store = f"/instances/{os.environ['INSTANCE_ID']}"
channels = api("GET", f"{store}/channels?role=owner")["data"]
channel = channels[0] if channels else api("POST", f"{store}/channels", {"name": "News of the store"})["data"]
api("POST", f"{store}/channels/{channel['channel_id']}/messages/text", {"text": "We have moved."})
api("POST", f"{store}/status/text", {"text": "We have moved.", "recipients": ["5511900000002"]})
print(channel["invite_link"])
