store = f"/instances/{os.environ['INSTANCE_ID']}"
for call in api("GET", f"{store}/calls?limit=20")["data"]:
    if call["status"] != "received" or call["phone"] is None:
        continue
    api("POST", f"{store}/calls/reject", {"call_id": call["call_id"], "from": call["phone"]})
    api("POST", f"{store}/messages/text", {"to": call["phone"], "text": "Please write to us."})
