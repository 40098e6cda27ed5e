curl -X PUT "{{url}}/api/instances/$INSTANCE_ID/profile/about" \
  -H "X-Api-Key: $API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"about":"Open from 9 to 6"}'
curl -X PUT "{{url}}/api/instances/$INSTANCE_ID/presence" \
  -H "X-Api-Key: $API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"presence":"online"}'
