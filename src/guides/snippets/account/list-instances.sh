curl '{{url}}/api/instances?limit=200' -H "X-Api-Key: $API_KEY"
