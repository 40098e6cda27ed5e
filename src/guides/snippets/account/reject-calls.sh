curl "{{url}}/api/instances/$INSTANCE_ID/calls?limit=20" -H "X-Api-Key: $API_KEY"
