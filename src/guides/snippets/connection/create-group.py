answer = api("POST", "/groups", {"subject": "Pedido 1042", "participants": ["5511900000002"]})
for one in answer["participants"]:
    print(one["phone"], one["status"], one["reason"])
api("POST", "/messages/text", {"chat_id": answer["data"]["group_id"], "text": "Bem-vindos!"})
