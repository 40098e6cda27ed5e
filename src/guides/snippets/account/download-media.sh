curl "{{url}}/api/instances/$INSTANCE_ID/chats/5511900000002@c.us/messages?limit=50&downloadMedia=true" -H "X-Api-Key: $API_KEY"
