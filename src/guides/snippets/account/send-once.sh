curl -X POST "{{url}}/api/instances/$INSTANCE_ID/messages/text" \
  -H 'Idempotency-Key: order-1042-confirmation' \
  -H "X-Api-Key: $API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"to":"5511900000002","text":"Order 1042 confirmed","reference":"order-1042"}'
