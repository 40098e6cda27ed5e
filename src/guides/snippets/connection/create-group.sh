curl -X POST '{{url}}/api/v1/groups' \
  -H "X-Api-Key: $API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"subject":"Pedido 1042","participants":["5511900000002"]}'
