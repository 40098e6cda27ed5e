curl -X POST "{{url}}/api/instances/$INSTANCE_ID/labels" \
  -H "X-Api-Key: $API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"name":"Open orders","color":3}'
