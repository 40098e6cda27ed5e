curl -X POST '{{url}}/api/webhooks' \
  -H "X-Api-Key: $API_KEY" \
  -H 'Idempotency-Key: webhook-store' \
  -H 'Content-Type: application/json' \
  -d '{"url":"https://hooks.example.com/gateway","events":["message.received","message.delivered"],"secret":"choose-a-long-random-one"}'
