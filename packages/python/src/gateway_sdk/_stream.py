"""Server-sent events of one instance. The server ends a stream after five minutes; the next one resumes after the last event."""
from __future__ import annotations

import json
import random
import time
from http.client import HTTPException
from typing import Any, Callable, Generic, Iterator, List, NamedTuple, Optional, Tuple, TypeVar

from ._http import Response
from .errors import GatewayError, ListenerTakenError

T = TypeVar("T")
_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 30.0


class StreamedEvent(NamedTuple):
    id: Optional[str]
    type: str
    # An event of the Connection or Account API, as in webhooks.
    data: Any


class EventStream(Generic[T]):
    """Reconnects until the gateway refuses the stream for good."""

    def __init__(self, open_stream: Callable[[Optional[str]], Response], is_retried: Callable[[GatewayError], bool]) -> None:
        self._open = open_stream
        self._is_retried = is_retried

    def __iter__(self) -> Iterator[StreamedEvent]:
        last_id: Optional[str] = None
        pause = _FIRST_PAUSE_S
        while True:
            try:
                response = self._open(last_id)
                try:
                    for event in _events_of(response):
                        pause = _FIRST_PAUSE_S
                        last_id = event.id or last_id
                        yield event
                finally:
                    response.close()
            except GatewayError as error:
                if not self._is_retried(error):
                    raise
            time.sleep(pause * (0.5 + random.random() / 2))
            pause = min(pause * 2, _LONGEST_PAUSE_S)


def _lines_of(response: Response) -> Iterator[str]:
    """Yields lines until the connection ends. Drops a last line without a line break, because it is incomplete."""
    while True:
        try:
            line = response.readline()
        except (OSError, HTTPException):
            return
        if not line.endswith(b"\n"):
            return
        yield line.decode().rstrip("\r\n")


def _events_of(response: Response) -> Iterator[StreamedEvent]:
    for event_id, event_type, text in blocks_of(response):
        yield StreamedEvent(event_id, event_type, json.loads(text))


def blocks_of(response: Response) -> Iterator[Tuple[Optional[str], str, str]]:
    """Yields id, type and text of each whole event."""
    event_id: Optional[str] = None
    event_type = "message"
    data: List[str] = []
    for line in _lines_of(response):
        if line == ": taken":
            raise ListenerTakenError("Another program opened the stream")
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "id" and line:
            event_id = value
        elif name == "event":
            event_type = value
        elif name == "data":
            data.append(value)
        elif line == "":
            if data:
                yield event_id, event_type, "\n".join(data)
            event_id, event_type, data = None, "message", []
