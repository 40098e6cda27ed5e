store = f"/instances/{os.environ['INSTANCE_ID']}"
api("PUT", f"{store}/profile/name", {"name": "Ana's store"})
api("PUT", f"{store}/profile/about", {"about": "Open from 9 to 6"})
api("PUT", f"{store}/presence", {"presence": "online"})
profile = api("GET", f"{store}/profile")["data"]
print(profile["name"], profile["about"])
