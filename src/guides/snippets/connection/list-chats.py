from urllib.parse import quote

chats, cursor = [], ""
while cursor is not None:
    page = api("GET", "/chats?limit=200" + ("&cursor=" + quote(cursor) if cursor else ""))
    chats += page["data"]
    cursor = page["next_cursor"]
