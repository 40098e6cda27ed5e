path = f"/instances/{os.environ['INSTANCE_ID']}/groups/{os.environ['GROUP_ID']}/participants/remove"
print(api("POST", path, {"participants": ["5511900000002"]})["data"])
