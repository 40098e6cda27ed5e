store = f"/instances/{os.environ['INSTANCE_ID']}"
api("POST", f"{store}/messages/image", {
    "to": "5511900000002",
    "media": {"url": "https://example.com/photo.jpg"},
    "caption": "The photo",
})
