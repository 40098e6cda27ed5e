import time

api("POST", "/instance/connect")
while True:
    status = api("GET", "/instance")["data"]["status"]
    if status == "connected":
        break
    if status == "scan_qr":
        print(api("GET", "/instance/qr")["data"]["raw"])
    time.sleep(5)
