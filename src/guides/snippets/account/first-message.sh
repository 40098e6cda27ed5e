curl -X POST "{{url}}/api/instances/$INSTANCE_ID/messages/text" \
  -H "X-Api-Key: $API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"to":"5511900000002","text":"Hello!"}'
