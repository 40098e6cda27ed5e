curl -X POST "{{url}}/api/instances/$INSTANCE_ID/groups" \
  -H "X-Api-Key: $API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"subject":"Orders","participants":["5511900000002"]}'
