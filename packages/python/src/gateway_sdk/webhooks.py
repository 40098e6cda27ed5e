"""Verifies and parses webhooks of both APIs, without a client."""
from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from .generated.tables import ACCOUNT_EVENT_TYPES, CONNECTION_EVENT_TYPES

if TYPE_CHECKING:
    from .generated.account_types import AccountEvent
    from .generated.connection_types import ConnectionEvent

_TOLERANCE_S = 300
Secrets = Union[str, Sequence[str]]


class UnknownEvent(TypedDict):
    """An event type that this package does not know."""

    type: Literal["$unknown"]
    id: str
    original: Dict[str, Any]


class WebhookError(Exception):
    """The delivery did not come from the gateway, or a secret is wrong. Respond with 401."""


def verify_connection_webhook(body: Union[bytes, str], headers: Mapping[str, Any], secrets: Secrets) -> Union[ConnectionEvent, UnknownEvent]:
    """Returns the event, or raises a WebhookError with the reason. During a rotation, `secrets` contains the new and the old one."""
    raw, each_secret = _bytes_of(body), _list_of(secrets)
    webhook_id, timestamp, signatures = (_header(headers, f"webhook-{name}") for name in ("id", "timestamp", "signature"))
    if webhook_id is None or timestamp is None or signatures is None:
        raise WebhookError("The headers webhook-id, webhook-timestamp and webhook-signature are missing")
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > _TOLERANCE_S:
        raise WebhookError("The timestamp is more than five minutes away from this clock")
    sent = [_decoded(each[3:]) for each in signatures.split(" ") if each.startswith("v1,")]
    keys = [_decoded(secret[6:] if secret.startswith("whsec_") else secret) for secret in each_secret]
    _one_matches(keys, f"{webhook_id}.{timestamp}.".encode("latin-1", "replace") + raw, sent)
    return typed_event(raw, "type", CONNECTION_EVENT_TYPES)  # type: ignore[no-any-return]


def verify_account_webhook(body: Union[bytes, str], headers: Mapping[str, Any], secrets: Secrets) -> Union[AccountEvent, UnknownEvent]:
    """Like `verify_connection_webhook`, and `type` repeats the body's `event`. This signature has no timestamp, so store the ids of
    handled events and skip repeated ones."""
    raw, each_secret = _bytes_of(body), _list_of(secrets)
    signature = _header(headers, "x-service-signature")
    if signature is None:
        raise WebhookError("The header x-service-signature is missing: give the endpoint a secret")
    if not re.fullmatch(r"[0-9a-f]{64}", signature):
        raise WebhookError("The header x-service-signature is not 64 hex digits")
    _one_matches([secret.encode() for secret in each_secret], raw, [bytes.fromhex(signature)])
    return typed_event(raw, "event", ACCOUNT_EVENT_TYPES)  # type: ignore[no-any-return]


def _bytes_of(body: object) -> bytes:
    if isinstance(body, str):
        return body.encode()
    if isinstance(body, (bytes, bytearray, memoryview)):
        return bytes(body)
    raise TypeError("Give the raw body, not a parsed one: in Flask request.get_data(), in Django request.body, in FastAPI await request.body()")


def _header(headers: Mapping[str, Any], name: str) -> Optional[str]:
    for each, value in headers.items():
        if each.lower() == name:
            return value if isinstance(value, str) else None
    return None


def _list_of(secrets: Secrets) -> List[str]:
    each = [secrets] if isinstance(secrets, str) else list(secrets or [])
    if not each or not all(each):
        raise TypeError("The secret of the webhook is missing")
    return each


def _one_matches(keys: Iterable[bytes], signed: bytes, sent: Sequence[bytes]) -> None:
    for key in keys:
        expected = hmac.new(key, signed, hashlib.sha256).digest()
        # A secret that is not Base64 gives an empty key, with which anybody could sign.
        if key and any([hmac.compare_digest(expected, each) for each in sent]):
            return
    raise WebhookError("No signature matches: the secret is another one, or the body was changed on its way")


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""


def typed_event(body: Union[bytes, str], name: str, known: Iterable[str]) -> Any:
    event = json.loads(body)
    event_type = event.get(name)
    if event_type not in known:
        return {"type": "$unknown", "id": str(event.get("id")), "original": event}
    return {**event, "type": event_type}
