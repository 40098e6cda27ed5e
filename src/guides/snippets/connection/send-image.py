api("POST", "/messages/image", {
    "to": "5511900000002",
    "media": {"url": "https://example.com/foto.jpg"},
    "caption": "A foto",
})
