# $SIGNATURE holds the X-Service-Signature header. body.json is the unchanged body.
EXPECTED=$(openssl dgst -sha256 -hmac "$WEBHOOK_SECRET" -r body.json | cut -d' ' -f1)
[ "$SIGNATURE" = "$EXPECTED" ] && echo genuine || echo forged
