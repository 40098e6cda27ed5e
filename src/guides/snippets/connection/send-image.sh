curl -X POST '{{url}}/api/v1/messages/image' \
  -H "X-Api-Key: $API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"to":"5511900000002","media":{"url":"https://example.com/foto.jpg"},"caption":"A foto"}'
