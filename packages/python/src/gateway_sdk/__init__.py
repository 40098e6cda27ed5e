"""A Python client for both APIs and their webhooks, without dependencies."""
from ._checkpoint import FileCheckpoint
from ._clients import AccountClient, ConnectionClient, InstanceClient
from ._core import VERSION as __version__
from ._listen import Checkpoint, GapEvent, ListenerPlace, ListenState, RawEvent
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
    ListenerTakenError,
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
    "Checkpoint",
    "ConflictError",
    "ConnectionClient",
    "EventStream",
    "FileCheckpoint",
    "GapEvent",
    "GatewayError",
    "InstanceClient",
    "InvalidRequestError",
    "ListenState",
    "ListenerTakenError",
    "ListenerPlace",
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
    "RawEvent",
    "RecipientError",
    "ServerError",
    "StreamedEvent",
    "SubscriptionError",
    "TemporarilyBlockedError",
    "__version__",
    "media",
]
