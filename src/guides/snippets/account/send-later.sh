curl -X POST "{{url}}/api/instances/$INSTANCE_ID/messages/text" \
  -H "X-Api-Key: $API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"to":"5511900000002","text":"Good morning! Your order arrives today.","delivery":{"at":"2027-01-15T09:00:00-03:00"}}'
curl "{{url}}/api/instances/$INSTANCE_ID/messages/waiting" -H "X-Api-Key: $API_KEY"
