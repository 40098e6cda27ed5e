# $WEBHOOK_ID, $WEBHOOK_TIMESTAMP and $WEBHOOK_SIGNATURE hold the headers. body.json is the unchanged body.
KEY=$(printf %s "${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
EXPECTED=$({ printf '%s.%s.' "$WEBHOOK_ID" "$WEBHOOK_TIMESTAMP"; cat body.json; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | openssl base64 -A)
AGE=$(($(date +%s) - WEBHOOK_TIMESTAMP))
case " $WEBHOOK_SIGNATURE " in
  *" v1,$EXPECTED "*) [ "${AGE#-}" -le 300 ] && echo genuine || echo 'too old' ;;
  *) echo forged ;;
esac
