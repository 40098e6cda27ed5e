store = f"/instances/{os.environ['INSTANCE_ID']}"
known = [label for label in api("GET", f"{store}/labels")["data"] if label["name"] == "Open orders"]
label = known[0] if known else api("POST", f"{store}/labels", {"name": "Open orders", "color": 3})["data"]
api("POST", f"{store}/chats/5511900000002@c.us/labels/{label['label_id']}")
for chat in api("GET", f"{store}/labels/{label['label_id']}/chats")["data"]:
    print(chat["chat_id"], chat["name"])
