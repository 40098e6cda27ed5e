curl -X POST "{{url}}/api/instances/$INSTANCE_ID/groups/$GROUP_ID/participants/remove" \
  -H "X-Api-Key: $API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"participants":["5511900000002"]}'
