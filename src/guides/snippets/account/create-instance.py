import time

instance = api("POST", "/instances", {"name": "Store"})["data"]
api("POST", f"/instances/{instance['id']}/connect")
while True:
    status = api("GET", f"/instances/{instance['id']}/status")["data"]["status"]
    if status == "connected":
        break
    if status == "scan_qr":
        print(api("GET", f"/instances/{instance['id']}/qr")["raw"])
    time.sleep(5)
