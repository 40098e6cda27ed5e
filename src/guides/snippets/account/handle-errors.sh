curl '{{url}}/api/instances/00000000-0000-4000-8000-000000000000' -H "X-Api-Key: $API_KEY"
