curl -X POST '{{url}}/api/v1/messages/document' \
  -H "X-Api-Key: $API_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"to":"5511900000002","media":{"base64":"UGVkaWRvIDEwNDIK","filename":"pedido.txt","mimetype":"text/plain"}}'
