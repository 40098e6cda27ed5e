data = api("GET", "/contacts/5511900000002/reachability")["data"]
message = {"to": "5511900000002", "text": "Seu pedido saiu para entrega"}
if data["advice"] == "send":
    api("POST", "/messages/text", message)
if data["advice"] == "wait":
    api("POST", "/messages/text", {**message, "delivery": {}})
print(data["advice"], data["why"])
