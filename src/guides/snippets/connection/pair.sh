curl -X POST '{{url}}/api/v1/instance/connect' -H "X-Api-Key: $API_KEY"
curl '{{url}}/api/v1/instance/qr' -H "X-Api-Key: $API_KEY"
