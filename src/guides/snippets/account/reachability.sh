curl "{{url}}/api/instances/$INSTANCE_ID/contacts/5511900000002/reachability" -H "X-Api-Key: $API_KEY"
