curl "{{url}}/api/instances/$INSTANCE_ID/chats?limit=200" -H "X-Api-Key: $API_KEY"
curl "{{url}}/api/instances/$INSTANCE_ID/chats/5511900000002@c.us/messages?limit=20" -H "X-Api-Key: $API_KEY"
