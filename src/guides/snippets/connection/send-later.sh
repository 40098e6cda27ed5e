curl -X POST '{{url}}/api/v1/messages/text' \
  -H "X-Api-Key: $API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"to":"5511900000002","text":"Bom dia! Seu pedido chega hoje.","delivery":{"at":"2027-01-15T09:00:00-03:00"}}'
curl '{{url}}/api/v1/messages/waiting' -H "X-Api-Key: $API_KEY"
