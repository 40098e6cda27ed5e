"""Makes one API call: the request, its retries under one Idempotency-Key, and the error if it fails."""
from __future__ import annotations

import json
import logging
import random
import re
import time
import uuid
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import TYPE_CHECKING, Any, FrozenSet, Literal, Mapping, Optional, Tuple, TypedDict
from urllib.parse import quote, urlencode, urlsplit

from ._http import Request, Response, Transport, urllib_transport
from ._listen import ListenApi
from ._pages import Pages
from ._stream import EventStream
from .errors import (
    APIConnectionError,
    ApiError,
    Facts,
    GatewayError,
    NotConnectedError,
    Outcome,
    RateLimitError,
    api_error,
)

if TYPE_CHECKING:
    from typing_extensions import NotRequired

VERSION = "0.1.0"
_LONGEST_RETRY_AFTER_S = 60
_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 8.0
_RETRIED_STATUSES = frozenset([408, 502, 503, 504])
_RESOLVE_PAUSE_S = 2.0
# The server writes a comment at least every 20 seconds.
_SILENCE_S = 45.0
_log = logging.getLogger("gateway_sdk")


class Options(TypedDict):
    """Keyword arguments that every method accepts."""

    idempotency_key: NotRequired[str]
    # Timeout in seconds, restarted by each received byte.
    timeout: NotRequired[float]
    max_retries: NotRequired[int]


@dataclass
class Call(Request):
    prefix: str
    path: str
    is_keyed: bool
    options: Mapping[str, Any] = field(repr=False)


class Core:
    def __init__(
        self,
        api_key: str,
        base_url: str,
        *,
        max_retries: int = 2,
        timeout: float = 30,
        send_timeout: float = 75,
        transport: Optional[Transport] = None,
    ) -> None:
        if not isinstance(api_key, str) or api_key == "":
            raise GatewayError("api_key is missing")
        if urlsplit(base_url).scheme not in ("http", "https") or urlsplit(base_url).netloc == "":
            raise GatewayError("base_url is not a URL")
        self._headers = {
            "x-api-key": api_key,
            "user-agent": f"gateway-sdk-python/{VERSION}",
            "accept-language": "en",
        }
        self.base_url = base_url.rstrip("/")
        self._max_retries = max_retries
        self._timeout = timeout
        self._send_timeout = send_timeout
        self._transport = transport or urllib_transport

    def run(self, row: str, prefix: str, ids: Tuple[Any, ...], body: Any, query: Mapping[str, Any], options: Mapping[str, Any]) -> Any:
        """Runs a resource's method. `row` has the format of `generated/`."""
        unknown = set(options) - {"idempotency_key", "timeout", "max_retries"}
        if unknown:
            raise TypeError(f"unexpected keyword argument {sorted(unknown)[0]!r}")
        method, template, flags = (row.split(" ") + [""])[:3]
        left = list(ids)
        path = prefix + re.sub(r"\{\w+\}", lambda _: segment(left.pop(0)), template)
        timeout = options.get("timeout", self._send_timeout if "s" in flags else self._timeout)

        def call(added: Mapping[str, Any]) -> Call:
            return self._call(method, prefix, path, {**query, **added}, body, timeout, "k" in flags, options)

        if "e" in flags:
            return EventStream(lambda last: self._open(call({}), last), is_retried)
        if "p" in flags:
            return Pages(lambda cursor: self._json(call({} if cursor is None else {"cursor": cursor})))
        answer = self._json(call({}))
        return answer["data"] if "d" in flags else answer

    def _call(
        self,
        method: str,
        prefix: str,
        path: str,
        query: Mapping[str, Any],
        body: Any,
        timeout: float,
        is_keyed: bool,
        options: Mapping[str, Any],
    ) -> Call:
        given = [(name, _text(value)) for name, value in query.items() if value is not None]
        url = self.base_url + path + (f"?{urlencode(given)}" if given else "")
        sent = None if body is None else json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
        headers = dict(self._headers)
        if sent is not None:
            headers["content-type"] = "application/json"
        return Call(method, url, headers, sent, timeout, prefix, path, is_keyed, options)

    def _open(self, call: Call, last_id: Optional[str]) -> Response:
        call.headers["accept"] = "text/event-stream"
        call.timeout = _SILENCE_S
        if last_id is not None:
            call.headers["last-event-id"] = last_id
        try:
            response = self._transport(call)
            if response.status == 200:
                return response
            raise self._error(call, response, None)
        except (OSError, HTTPException) as cause:
            raise APIConnectionError(f"The gateway at {self.base_url} did not answer") from cause

    def listen_api(self, prefix: str, type_field: Literal["type", "event"], known: FrozenSet[str]) -> ListenApi:
        """The API calls that a durable listener under this prefix makes."""

        def opened(listener: str, last_id: Optional[str]) -> Response:
            path = f"{prefix}listeners/{segment(listener)}/events"
            return self._open(self._call("GET", prefix, path, {}, None, _SILENCE_S, False, {}), last_id)

        return ListenApi(lambda body: self.run("POST listeners bdk", prefix, (), body, {}, {})["id"], opened, type_field, known)

    def _json(self, call: Call) -> Any:
        key = (call.options.get("idempotency_key") or str(uuid.uuid4())) if call.is_keyed else None
        if key is not None:
            call.headers["idempotency-key"] = key
        retries = call.options.get("max_retries", self._max_retries)
        attempt = 0
        while True:
            try:
                return self._attempt(call, key)
            except GatewayError as error:
                wait = _pause_before(error, attempt) if attempt < retries else None
                if wait is None:
                    raise
                attempt += 1
                _log.info("retry %d of %s %s after %s, in %.1f s", attempt, call.method, call.path, type(error).__name__, wait)
                time.sleep(wait)

    def _attempt(self, call: Call, key: Optional[str]) -> Any:
        try:
            response = self._transport(call)
            try:
                if not 200 <= response.status < 300:
                    raise self._error(call, response, key)
                text = response.read()
            finally:
                response.close()
        except (OSError, HTTPException) as cause:
            raise APIConnectionError(f"The gateway at {self.base_url} did not answer", key) from cause
        if (response.headers.get("content-type") or "").startswith("text/plain"):
            return text.decode(errors="replace")
        try:
            return json.loads(text)
        except ValueError as cause:
            raise APIConnectionError("The answer is not JSON, or not whole", key) from cause

    def _error(self, call: Call, response: Response, key: Optional[str]) -> ApiError:
        facts = _facts_of(response, key)
        return api_error(facts, lambda timeout: self._outcome(call, facts.message_id, timeout))

    def _outcome(self, send: Call, message_id: Optional[str], timeout: float) -> Outcome:
        """Looks up a message whose send ended without a known outcome."""
        if message_id is None:
            return "unknown"
        end = time.monotonic() + timeout
        while True:
            try:
                status = self.run("GET messages/{message_id} d", send.prefix, (message_id,), None, {}, {}).get("status")
            except (ApiError, APIConnectionError):
                status = None
            if status == "failed":
                return "failed"
            if status in ("sent", "delivered", "read", "played"):
                return "sent"
            if time.monotonic() + _RESOLVE_PAUSE_S > end:
                return "unknown"
            time.sleep(_RESOLVE_PAUSE_S)


class Resource:
    def __init__(self, core: Core, prefix: str) -> None:
        self._core = core
        self._prefix = prefix

    def _run(self, row: str, ids: Tuple[Any, ...], body: Any, query: Mapping[str, Any], options: Mapping[str, Any]) -> Any:
        return self._core.run(row, self._prefix, ids, body, query, options)


def segment(value: Any) -> str:
    """Encodes one path segment. Raises for a segment that would call a different route: an empty one, and `.` and `..`, which URL
    parsers resolve even when they are encoded."""
    if not isinstance(value, (str, int)) or value == "":
        raise GatewayError("An id in the path is missing")
    if value in (".", ".."):
        raise GatewayError(f'"{value}" in the path is not an id')
    return quote(str(value), safe="")


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _fields_in(details: Any) -> str:
    """The fields of an invalid request and their faults, for people who see only the message."""
    if not isinstance(details, list):
        return ""
    fields = [each for each in details if isinstance(each, dict)]
    return f" ({'; '.join(': '.join(str(value) for value in each.values()) for each in fields)})"


def _facts_of(response: Response, idempotency_key: Optional[str]) -> Facts:
    try:
        body = json.loads(response.read())
    except (ValueError, OSError, HTTPException):
        body = None
    finally:
        response.close()
    body = body if isinstance(body, dict) else {}
    given = body.get("error")
    error = given if isinstance(given, dict) else {}
    code = error.get("codigo") or error.get("code")
    message = error.get("mensagem") or error.get("message")
    details = error.get("detalhes") or error.get("details")
    return Facts(
        status=response.status,
        code=code,
        message=(
            f"{code}: {message}{_fields_in(details)}"
            if message
            else f"The gateway or a proxy answered {response.status}"
        ),
        request_id=body.get("request_id") or response.headers.get("x-request-id"),
        details=details,
        retry_after=_seconds_of(response.headers.get("retry-after")),
        idempotency_key=idempotency_key,
        message_id=details.get("message_id") if isinstance(details, dict) else None,
    )


def _seconds_of(header: Optional[str]) -> Optional[int]:
    if header is None:
        return None
    if header.isdigit():
        return int(header)
    try:
        return max(0, round(parsedate_to_datetime(header).timestamp() - time.time()))
    except (TypeError, ValueError):
        return None


def is_retried(error: GatewayError) -> bool:
    if isinstance(error, (APIConnectionError, RateLimitError)):
        return True
    if isinstance(error, NotConnectedError):
        return error.status == 503
    return isinstance(error, ApiError) and error.status in _RETRIED_STATUSES


def _pause_before(error: GatewayError, attempt: int) -> Optional[float]:
    """Seconds until the next attempt, or None if there must be none."""
    if not is_retried(error):
        return None
    asked: Optional[int] = error.retry_after if isinstance(error, ApiError) else None
    if asked is not None:
        return asked if asked <= _LONGEST_RETRY_AFTER_S else None
    return min(_FIRST_PAUSE_S * 2.0**attempt, _LONGEST_PAUSE_S) * (0.5 + random.random() / 2)
