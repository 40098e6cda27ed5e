$webhook = api(
    "POST",
    "/webhooks",
    [
        "url" => "https://hooks.example.com/gateway",
        "events" => ["message.received", "message.delivered"],
        "secret" => "choose-a-long-random-one",
    ],
    ["Idempotency-Key: webhook-store"],
)["data"];
echo $webhook["id"], PHP_EOL;
