store = f"/instances/{os.environ['INSTANCE_ID']}"
made = api("POST", f"{store}/groups", {"subject": "Orders", "participants": ["5511900000002"]})
for person in made["participants"]:
    print(person["id"], person["status"], person["reason"])
api("POST", f"{store}/messages/text", {"chat_id": made["data"]["group_id"], "text": "Welcome!"})
