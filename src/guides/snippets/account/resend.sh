curl -X POST "{{url}}/api/webhooks/$WEBHOOK_ID/resend" \
  -H "X-Api-Key: $API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"since":"'"$SINCE"'"}'
