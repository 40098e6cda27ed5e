import hashlib
import hmac


def is_genuine(headers, raw_body: bytes, secret: str) -> bool:
    expected = hmac.new(secret.encode(), raw_body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(headers.get("x-service-signature", ""), expected)
