$webhook = getenv("WEBHOOK_ID");
foreach (api("GET", "/webhooks/$webhook/deliveries?status=failed")["data"] as $delivery) {
    api("POST", "/webhooks/$webhook/deliveries/{$delivery['id']}/resend");
}
