curl -X POST '{{url}}/api/v1/messages/text' \
  -H "X-Api-Key: $API_KEY" \
  -H 'Idempotency-Key: pedido-1042-confirmacao' \
  -H 'Content-Type: application/json' \
  -d '{"to":"5511900000002","text":"Pedido 1042 confirmado","reference":"pedido-1042"}'
