store = f"/instances/{os.environ['INSTANCE_ID']}"
poll = api("POST", f"{store}/messages/poll", {
    "to": "5511900000002",
    "question": "Which day?",
    "options": ["Tuesday", "Thursday"],
})["data"]
# Later, when people have voted:
for vote in api("GET", f"{store}/chats/{poll['chat_id']}/messages/{poll['message_id']}/votes")["data"]:
    print(vote["option"], vote["votes"])
