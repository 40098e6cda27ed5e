"""Failures, grouped by how a program should handle them. `code` is the API's error code."""
from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, Callable, Dict, Literal, NamedTuple, Optional, Type

from .generated.tables import ERROR_KINDS

Outcome = Literal["sent", "failed", "unknown"]


class Facts(NamedTuple):
    status: int
    code: Optional[str]
    message: str
    request_id: Optional[str]
    details: Any
    retry_after: Optional[int]
    idempotency_key: Optional[str]
    message_id: Optional[str]


class GatewayError(Exception):
    """Base class of all errors in this package."""


class APIConnectionError(GatewayError):
    """There was no response, because the network failed or the request timed out."""

    def __init__(self, message: str, idempotency_key: Optional[str] = None) -> None:
        super().__init__(message)
        self.idempotency_key = idempotency_key


class ListenerTakenError(GatewayError):
    """Another program opened this listener, for example with the same checkpoint file. It receives the events from now on."""


class ApiError(GatewayError):
    """A response other than 2xx. `code` is None if it did not come from the gateway, such as a proxy's page. A gateway newer than this
    package may return an unlisted code."""

    def __init__(self, facts: Facts) -> None:
        super().__init__(facts.message)
        self.status = facts.status
        self.code = facts.code
        self.request_id = facts.request_id
        self.details = facts.details
        self.retry_after = facts.retry_after
        self.idempotency_key = facts.idempotency_key
        self.message_id = facts.message_id


class AuthenticationError(ApiError):
    """The key is unknown or revoked."""


class PermissionDeniedError(ApiError):
    """The key, the account or the number lacks permission."""


class SubscriptionError(ApiError):
    """The account has no active subscription."""


class InvalidRequestError(ApiError):
    """The request is invalid; repeating it unchanged fails again."""


class NotFoundError(ApiError):
    """The resource does not exist, or no longer exists."""


class ConflictError(ApiError):
    """The current state does not allow this."""


class NotConnectedError(ApiError):
    """The number is not connected."""


class RecipientError(ApiError):
    """The recipient cannot be reached: no account, outside the service window, or a first contact that WhatsApp refuses."""


class MediaError(ApiError):
    """The file is too large, unreachable or of an unsupported type."""


class RateLimitError(ApiError):
    """A gateway limit was exceeded; `retry_after` is the time to wait."""


class NetworkRateLimitError(ApiError):
    """WhatsApp itself limits this number. Slow down; do not retry at once."""


class NotSupportedError(ApiError):
    """WhatsApp does not support this for this kind of number."""


class ServerError(ApiError):
    """The gateway or WhatsApp failed."""


class TemporarilyBlockedError(ApiError):
    """WhatsApp temporarily blocks sends from this number. Stop sending, because more attempts raise the risk of a ban."""

    @property
    def ends_at(self) -> Optional[datetime]:
        """When the block ends, or None if WhatsApp does not report it."""
        ends = self.details.get("ends_at") if isinstance(self.details, dict) else None
        if isinstance(ends, (int, float)):
            return datetime.fromtimestamp(ends, timezone.utc)
        return datetime.fromisoformat(ends.replace("Z", "+00:00")) if isinstance(ends, str) else None


class OutcomeUnknownError(ApiError):
    """The message may have been sent. Call `resolve` to find out before you send it again."""

    def __init__(self, facts: Facts, look_up: Callable[[float], Outcome]) -> None:
        super().__init__(facts)
        self._look_up = look_up

    def resolve(self, timeout: float = 60) -> Outcome:
        """Polls the message until it is sent or fails. Returns `unknown` after `timeout` seconds.

        Reactions, edits and deletions are not messages, so their outcome remains `unknown`."""
        return self._look_up(timeout)


_CLASSES: Dict[str, Type[ApiError]] = {
    "auth": AuthenticationError,
    "permission": PermissionDeniedError,
    "subscription": SubscriptionError,
    "invalid": InvalidRequestError,
    "missing": NotFoundError,
    "conflict": ConflictError,
    "offline": NotConnectedError,
    "recipient": RecipientError,
    "media": MediaError,
    "limit": RateLimitError,
    "network_limit": NetworkRateLimitError,
    "unsupported": NotSupportedError,
    "server": ServerError,
    "blocked": TemporarilyBlockedError,
}
_KIND_OF_STATUS = {
    401: "auth",
    402: "subscription",
    403: "permission",
    404: "missing",
    409: "conflict",
    410: "missing",
    413: "media",
    423: "blocked",
    424: "unknown_outcome",
    429: "limit",
    501: "unsupported",
}


def api_error(facts: Facts, look_up: Callable[[float], Outcome]) -> ApiError:
    # A newer gateway may have other codes, and a proxy's page has none.
    by_status = _KIND_OF_STATUS.get(facts.status, "server" if facts.status >= 500 else "invalid")
    kind = ERROR_KINDS.get(facts.code or "", by_status)
    return OutcomeUnknownError(facts, look_up) if kind == "unknown_outcome" else _CLASSES[kind](facts)
