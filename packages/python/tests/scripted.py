"""A transport that returns scripted responses and records the requests, and a clock that does not wait."""
from __future__ import annotations

import io
import json
from contextlib import ExitStack
from typing import Any, Dict, List, Optional
from unittest import mock

from gateway_sdk._http import Request


class Answer(io.BytesIO):
    def __init__(self, status: int, body: bytes, headers: Optional[Dict[str, str]] = None) -> None:
        super().__init__(body)
        self.status = status
        self.headers = headers or {}


def answer(status: int, body: Any = None, **headers: str) -> Answer:
    return Answer(status, json.dumps(body).encode(), {name.replace("_", "-"): value for name, value in headers.items()})


class Script:
    """Repeats the last response. An answer that is an exception is raised."""

    def __init__(self, *answers: Any) -> None:
        self.left = list(answers)
        self.requests: List[Request] = []
        self.headers: List[Dict[str, str]] = []

    def __call__(self, request: Request) -> Any:
        self.requests.append(request)
        self.headers.append(dict(request.headers))
        given = self.left.pop(0) if len(self.left) > 1 else self.left[0]
        if isinstance(given, BaseException):
            raise given
        return given


class Clock:
    """Replaces `time` in the client: a sleep only moves the clock."""

    def __init__(self, now: float = 1_795_000_000) -> None:
        self.now = now
        self.sleeps: List[float] = []

    def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.now += seconds

    def __enter__(self) -> Clock:
        self._stack = ExitStack()
        for name, value in (("sleep", self.sleep), ("monotonic", lambda: self.now), ("time", lambda: self.now)):
            self._stack.enter_context(mock.patch(f"time.{name}", value))
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()
