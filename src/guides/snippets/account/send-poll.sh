curl -X POST "{{url}}/api/instances/$INSTANCE_ID/messages/poll" \
  -H "X-Api-Key: $API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"to":"5511900000002","question":"Which day?","options":["Tuesday","Thursday"]}'
