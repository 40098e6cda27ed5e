curl -X POST "{{url}}/api/instances/$INSTANCE_ID/channels" \
  -H "X-Api-Key: $API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"name":"News of the store"}'
curl -X POST "{{url}}/api/instances/$INSTANCE_ID/status/text" \
  -H "X-Api-Key: $API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"text":"Open from 9","recipients":["5511900000002"]}'
