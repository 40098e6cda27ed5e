webhook = os.environ["WEBHOOK_ID"]
for delivery in api("GET", f"/webhooks/{webhook}/deliveries?status=failed")["data"]:
    api("POST", f"/webhooks/{webhook}/deliveries/{delivery['id']}/resend")
