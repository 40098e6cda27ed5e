"""Stores a listener's place in a file. Each event appends a line, so that a killed process loses at most the last one."""
from __future__ import annotations

import json
import os
from typing import Any, Dict, Optional, Union

from ._listen import ListenerPlace, RecentIds

_MAX_LINES = 20_000


class FileCheckpoint:
    """Use each file in only one process. The TypeScript SDK writes the same format."""

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self._path = os.fspath(path)
        self._lines = 0
        self._place: ListenerPlace = {"listener": "", "place": None, "ids": [], "at": None}
        self._ids = RecentIds([])

    def load(self) -> Optional[ListenerPlace]:
        if not os.path.exists(self._path):
            return None
        with open(self._path, encoding="utf-8") as opened:
            # The last line is incomplete if the process was killed while writing it.
            whole = opened.read().split("\n")[:-1]
        for line in map(json.loads, whole):
            if "ids" in line:
                self._ids = RecentIds(line["ids"])
            if line.get("id") is not None:
                self._ids.add(line["id"])
            self._place.update({name: line[name] for name in ("listener", "place", "at") if name in line})  # type: ignore[typeddict-item]
        self._rewrite()
        return None if self._place["listener"] == "" else {**self._place, "ids": self._ids.list()}

    def start(self, listener: str) -> None:
        self._place.update({"listener": listener, "place": None})
        self._append({"listener": listener, "place": None})

    def save(self, listener: str, place: str, event_id: Optional[str], at: str) -> None:
        self._place.update({"listener": listener, "place": place, "at": at})
        if event_id is not None:
            self._ids.add(event_id)
        self._append({"place": place, "id": event_id, "at": at})

    def _append(self, line: Dict[str, Any]) -> None:
        os.makedirs(os.path.dirname(self._path) or ".", exist_ok=True)
        with open(self._path, "a", encoding="utf-8", opener=_private) as opened:
            opened.write(json.dumps(line) + "\n")
        self._lines += 1
        if self._lines > _MAX_LINES:
            self._rewrite()

    def _rewrite(self) -> None:
        """Replaces the file in one step, so that a crash leaves the old or the new one."""
        with open(f"{self._path}.new", "w", encoding="utf-8", opener=_private) as opened:
            opened.write(json.dumps({**self._place, "ids": self._ids.list()}) + "\n")
        os.replace(f"{self._path}.new", self._path)
        self._lines = 1


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
