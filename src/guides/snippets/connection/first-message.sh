curl -X POST '{{url}}/api/v1/messages/text' \
  -H "X-Api-Key: $API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"to":"5511900000002","text":"Olá!"}'
