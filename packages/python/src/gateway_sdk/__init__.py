"""Python client of both APIs and their webhooks. No dependencies."""
from ._clients import AccountClient, ConnectionClient, InstanceClient
from ._core import VERSION as __version__
from ._media import media
from ._pages import Page, Pages
from ._stream import EventStream, StreamedEvent
from .errors import (
    APIConnectionError,
    ApiError,
    AuthenticationError,
    ConflictError,
    GatewayError,
    InvalidRequestError,
    MediaError,
    NetworkRateLimitError,
    NotConnectedError,
    NotFoundError,
    NotSupportedError,
    OutcomeUnknownError,
    PermissionDeniedError,
    RateLimitError,
    RecipientError,
    ServerError,
    SubscriptionError,
    TemporarilyBlockedError,
)

__all__ = [
    "APIConnectionError",
    "AccountClient",
    "ApiError",
    "AuthenticationError",
    "ConflictError",
    "ConnectionClient",
    "EventStream",
    "GatewayError",
    "InstanceClient",
    "InvalidRequestError",
    "MediaError",
    "NetworkRateLimitError",
    "NotConnectedError",
    "NotFoundError",
    "NotSupportedError",
    "OutcomeUnknownError",
    "Page",
    "Pages",
    "PermissionDeniedError",
    "RateLimitError",
    "RecipientError",
    "ServerError",
    "StreamedEvent",
    "SubscriptionError",
    "TemporarilyBlockedError",
    "__version__",
    "media",
]
