curl -X POST "{{url}}/api/instances/$INSTANCE_ID/contacts/check" \
  -H "X-Api-Key: $API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"phones":["5511900000002","5511900009999"]}'
curl -X PUT "{{url}}/api/instances/$INSTANCE_ID/contacts/5511900000002@c.us" \
  -H "X-Api-Key: $API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"full_name":"Ana Souza"}'
