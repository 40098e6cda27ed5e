path = f"/instances/{os.environ['INSTANCE_ID']}/chats/5511900000002@c.us/messages?limit=50"
for message in api("GET", path)["data"]:
    media = message["media"]
    if media is not None and media["url"] is not None:
        print(media["mimetype"], len(requests.get(media["url"], timeout=90).content))
