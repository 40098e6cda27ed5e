"""A durable listener. It receives every event once and in order, even after lost connections and restarts of this program."""
from __future__ import annotations

import json
import random
import time
from datetime import datetime, timezone
from typing import Any, Callable, Dict, FrozenSet, Generic, Iterator, List, Literal, NamedTuple, Optional, Protocol, Sequence, TypedDict, TypeVar, Union, cast

from ._http import Response
from ._stream import blocks_of
from .errors import APIConnectionError, ApiError, GatewayError
from .webhooks import typed_event

T = TypeVar("T")
_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 30.0
_NO_LISTENER = ("listener_not_found", "ouvinte_nao_encontrado")
_REMEMBERED_IDS = 10_000
# The server ends streams regularly. If a stream lasted this long, it is assumed to have ended that way, so nothing was lost.
_PLANNED_END_S = 60.0


class ListenerPlace(TypedDict):
    """Where reading continues. `place` is the number of the last handled event, and `ids` are the last handled events, newest last."""

    listener: str
    place: Optional[str]
    ids: List[str]
    at: Optional[str]


class Checkpoint(Protocol):
    """Stores the place. `FileCheckpoint` keeps it in a file."""

    def load(self) -> Optional[ListenerPlace]: ...

    def start(self, listener: str) -> None:
        """Called after a new listener was created, before its first event."""

    def save(self, listener: str, place: str, event_id: Optional[str], at: str) -> None:
        """Called after an event was handled. `event_id` is None for a gap."""


class GapEvent(TypedDict):
    """Events between `since` and `until` were not received. `missed` is None if their number is unknown, because the listener had ended."""

    type: Literal["gap"]
    id: None
    missed: Optional[int]
    since: Optional[str]
    until: Optional[str]


class RawEvent(TypedDict):
    type: str
    id: str
    # The exact text of a webhook's body.
    body: str


class ListenState(TypedDict, total=False):
    state: Literal["ready", "lost", "resumed"]
    listener: str
    reason: str
    # How long there was no stream, in seconds.
    away: float


class ListenApi(NamedTuple):
    create: Callable[[Dict[str, Any]], str]
    open: Callable[[str, Optional[str]], Response]
    type_field: Literal["type", "event"]
    known: FrozenSet[str]


class Events(Generic[T]):
    """The durable listener of one number."""

    def __init__(self, api: ListenApi) -> None:
        self._api = api

    def listen(
        self,
        *,
        types: Optional[Sequence[str]] = None,
        name: str = "listen",
        checkpoint: Optional[Checkpoint] = None,
        on_state: Optional[Callable[[ListenState], None]] = None,
    ) -> Iterator[Union[T, GapEvent]]:
        """Yields events indefinitely. An event is considered handled when the loop asks for the next one; only then is its place stored.

        `types` lists the event types to receive; without it, all. The types are fixed when the listener is created. `name` is the
        listener's name, which the gateway shows. Without `checkpoint`, the place is kept in memory, so a restart begins with new events."""
        for event in self.listen_raw(types=types, name=name, checkpoint=checkpoint, on_state=on_state):
            if event["type"] == "gap":
                yield cast(GapEvent, event)
            else:
                yield cast(T, typed_event(cast(RawEvent, event)["body"], self._api.type_field, self._api.known))

    def listen_raw(
        self,
        *,
        types: Optional[Sequence[str]] = None,
        name: str = "listen",
        checkpoint: Optional[Checkpoint] = None,
        on_state: Optional[Callable[[ListenState], None]] = None,
    ) -> Iterator[Union[RawEvent, GapEvent]]:
        """Yields the bodies as text, exactly as in a webhook."""
        body: Dict[str, Any] = {"name": name} if types is None else {"name": name, "events": list(types)}
        return _listen(self._api, body, checkpoint, on_state or (lambda _: None))


def _listen(
    api: ListenApi, body: Dict[str, Any], checkpoint: Optional[Checkpoint], tell: Callable[[ListenState], None]
) -> Iterator[Union[RawEvent, GapEvent]]:
    saved = None if checkpoint is None else checkpoint.load()
    handled = RecentIds([] if saved is None else saved["ids"])
    listener, place, at = (None, None, None) if saved is None else (saved["listener"], saved["place"], saved["at"])
    pause = _FIRST_PAUSE_S
    has_ended = is_ready = False
    lost_at: Optional[float] = None
    while True:
        earlier = listener
        opened_at = time.monotonic()
        reason = "the stream ended"
        try:
            if listener is None:
                made = api.create(body)
                # Reported before the new listener is stored, so that a crash in between repeats the report instead of losing it.
                if has_ended:
                    yield {"type": "gap", "id": None, "missed": None, "since": at, "until": _now()}
                if checkpoint is not None:
                    checkpoint.start(made)
                listener, place, has_ended = made, None, False
            response = api.open(listener, place)
            opened_at = time.monotonic()
            if not is_ready:
                tell({"state": "ready", "listener": listener})
            elif lost_at is not None:
                tell({"state": "resumed", "away": opened_at - lost_at})
            is_ready, lost_at = True, None
            try:
                for number, event_type, text in blocks_of(response):
                    pause = _FIRST_PAUSE_S
                    event_id = None if event_type == "gap" else str(json.loads(text).get("id"))
                    if event_id is None:
                        gap = {name: json.loads(text).get(name) for name in ("missed", "since", "until")}
                        yield cast(GapEvent, {"type": "gap", "id": None, **gap})
                    elif event_id not in handled:
                        yield {"type": event_type, "id": event_id, "body": text}
                    if event_id is not None:
                        handled.add(event_id)
                    at = _now()
                    if number is not None and checkpoint is not None:
                        checkpoint.save(listener, number, event_id, at)
                    place = number or place
            finally:
                response.close()
        except GatewayError as error:
            if isinstance(error, ApiError) and error.code in _NO_LISTENER:
                listener, has_ended = None, True
            elif not _is_transient(error, has_ended or listener is not None):
                raise
            reason = f"the gateway answered {error.status}" if isinstance(error, ApiError) else "the network failed"
        if time.monotonic() - opened_at >= _PLANNED_END_S:
            pause = _FIRST_PAUSE_S
        elif lost_at is None and is_ready:
            lost_at = time.monotonic()
            tell({"state": "lost", "reason": reason})
        # Events are lost while no listener exists. If the new one is not found either, the pause below prevents a loop.
        if earlier is not None and listener is None:
            continue
        time.sleep(pause * (0.5 + random.random() / 2))
        pause = min(pause * 2, _LONGEST_PAUSE_S)


def _is_transient(error: GatewayError, had_listener: bool) -> bool:
    """Refusals are not retried."""
    if isinstance(error, ApiError):
        # A proxy's 404 has no code. Before the first listener exists, it can also mean a wrong `base_url`.
        return error.status >= 500 or error.status in (408, 429) or (error.status == 404 and error.code is None and had_listener)
    return isinstance(error, APIConnectionError)


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class RecentIds:
    """Remembers the newest ids, because an event can arrive again under another number."""

    def __init__(self, ids: Sequence[str]) -> None:
        self._ids = dict.fromkeys(ids[-_REMEMBERED_IDS:])

    def __contains__(self, event_id: str) -> bool:
        return event_id in self._ids

    def add(self, event_id: str) -> None:
        self._ids[event_id] = None
        if len(self._ids) > _REMEMBERED_IDS:
            del self._ids[next(iter(self._ids))]

    def list(self) -> List[str]:
        return [*self._ids]
