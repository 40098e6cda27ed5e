from urllib.parse import quote

for instance in api("GET", "/me/export")["data"]["instances"]:
    records, cursor = 0, ""
    while cursor is not None:
        page = api("GET", f"/instances/{instance['id']}/export" + ("?cursor=" + quote(cursor) if cursor else ""))
        records += len(page["data"])
        cursor = page["next_cursor"]
    print(instance["name"], records)
