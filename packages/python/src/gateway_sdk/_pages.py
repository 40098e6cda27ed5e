"""Iterate over a list for all items, or take its first page."""
from __future__ import annotations

from typing import Any, Callable, Generic, Iterator, List, Optional, TypeVar

T = TypeVar("T")
_Load = Callable[[Optional[str]], Any]


class Page(Generic[T]):
    def __init__(self, load: _Load, cursor: Optional[str]) -> None:
        answer = load(cursor)
        self.data: List[T] = answer["data"]
        self.next_cursor: Optional[str] = answer["next_cursor"]
        self._load = load

    def next(self) -> Optional[Page[T]]:
        """The next page, or None on the last page."""
        return None if self.next_cursor is None else Page(self._load, self.next_cursor)


class Pages(Generic[T]):
    """Loads nothing until you iterate over it or call `first`."""

    def __init__(self, load: _Load) -> None:
        self._load = load

    def first(self) -> Page[T]:
        return Page(self._load, None)

    def __iter__(self) -> Iterator[T]:
        page: Optional[Page[T]] = self.first()
        while page is not None:
            yield from page.data
            page = page.next()
