from urllib.parse import quote

instances, cursor = [], ""
while cursor is not None:
    page = api("GET", "/instances?limit=200" + ("&cursor=" + quote(cursor) if cursor else ""))
    instances += page["data"]
    cursor = page["next_cursor"]
