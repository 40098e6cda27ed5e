import base64

api("POST", "/messages/document", {
    "to": "5511900000002",
    "media": {
        "base64": base64.b64encode(b"Pedido 1042\n").decode(),
        "filename": "pedido.txt",
        "mimetype": "text/plain",
    },
})
