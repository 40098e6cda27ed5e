curl '{{url}}/api/me/export' -H "X-Api-Key: $API_KEY"
curl "{{url}}/api/instances/$INSTANCE_ID/export" -H "X-Api-Key: $API_KEY"
