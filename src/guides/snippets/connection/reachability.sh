curl '{{url}}/api/v1/contacts/5511900000002/reachability' -H "X-Api-Key: $API_KEY"
