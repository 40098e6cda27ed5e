curl '{{url}}/api/v1/chats?limit=200' -H "X-Api-Key: $API_KEY"
