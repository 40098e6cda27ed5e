instance = f"/instances/{os.environ['INSTANCE_ID']}"
data = api("GET", f"{instance}/contacts/5511900000002/reachability")["data"]
message = {"to": "5511900000002", "text": "Your order is on its way"}
if data["advice"] == "send":
    api("POST", f"{instance}/messages/text", message)
if data["advice"] == "wait":
    api("POST", f"{instance}/messages/text", {**message, "delivery": {}})
print(data["advice"], data["why"])
