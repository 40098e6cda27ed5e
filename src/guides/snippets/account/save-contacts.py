store = f"/instances/{os.environ['INSTANCE_ID']}"
people = {"5511900000002": "Ana Souza", "5511900009999": "Rui Costa"}
for check in api("POST", f"{store}/contacts/check", {"phones": list(people)})["data"]:
    if check["exists"]:
        api("PUT", f"{store}/contacts/{check['chat_id']}", {"full_name": people[check["phone"]]})
    else:
        print(check["phone"], "has no account")
