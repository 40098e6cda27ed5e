from urllib.parse import quote

store = f"/instances/{os.environ['INSTANCE_ID']}"
chats, cursor = [], ""
while cursor is not None:
    page = api("GET", f"{store}/chats?limit=200" + ("&cursor=" + quote(cursor) if cursor else ""))
    chats += page["data"]
    cursor = page["next_cursor"]
for chat in chats:
    if chat["unread_count"] == 0:
        continue
    path = f"{store}/chats/{chat['chat_id']}"
    for message in api("GET", f"{path}/messages?from_me=false&limit={min(chat['unread_count'], 200)}")["data"]:
        print(message["from"], message["type"], message["text"])
    api("POST", f"{path}/seen")
