# The header X-Service-Signature is in $SIGNATURE, the unchanged body is in the file body.json.
EXPECTED=$(openssl dgst -sha256 -hmac "$WEBHOOK_SECRET" -r body.json | cut -d' ' -f1)
[ "$SIGNATURE" = "$EXPECTED" ] && echo genuine || echo forged
