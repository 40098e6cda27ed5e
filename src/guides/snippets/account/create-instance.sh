curl -X POST '{{url}}/api/instances' \
  -H "X-Api-Key: $API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"name":"Store"}'
