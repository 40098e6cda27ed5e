"""Sends one HTTP request with the standard library."""
from __future__ import annotations

import urllib.error
import urllib.request
from dataclasses import dataclass, field
from typing import IO, Callable, Dict, Mapping, Optional, Protocol


class Response(Protocol):
    status: int

    @property
    def headers(self) -> Mapping[str, str]: ...

    def read(self) -> bytes: ...

    def readline(self) -> bytes: ...

    def close(self) -> None: ...


@dataclass
class Request:
    method: str
    url: str
    headers: Dict[str, str] = field(repr=False)
    body: Optional[bytes] = field(repr=False)
    # Timeout in seconds, restarted by each received byte.
    timeout: float


# Returns the response whatever its status. Raises an OSError if there is none.
Transport = Callable[[Request], Response]


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Ignores redirects, because the key must not reach another host."""

    def redirect_request(self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: object, newurl: str) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirects)


def urllib_transport(request: Request) -> Response:
    sent = urllib.request.Request(request.url, data=request.body, headers=request.headers, method=request.method)
    try:
        return _opener.open(sent, timeout=request.timeout)  # type: ignore[no-any-return]
    except urllib.error.HTTPError as answer:
        return answer  # type: ignore[return-value]
