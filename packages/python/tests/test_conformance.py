"""Runs the cases of packages/conformance."""
from __future__ import annotations

import json
import unittest
from http.client import RemoteDisconnected
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, List

from gateway_sdk import AccountClient, ConnectionClient, FileCheckpoint, GatewayError
from gateway_sdk._http import Request
from gateway_sdk.webhooks import WebhookError, verify_account_webhook, verify_connection_webhook

from scripted import Answer, Clock, Script

CASES = Path(__file__).parents[2] / "conformance"
# The client avoids the names of Python's own ConnectionError and PermissionError.
NAMES = {"APIConnectionError": "ConnectionError", "PermissionDeniedError": "PermissionError"}


def cases(name: str) -> Any:
    return json.loads((CASES / name).read_text("utf-8"))


class Conformance(unittest.TestCase):
    def test_signatures(self) -> None:
        for case in cases("signatures.json"):
            verify = verify_connection_webhook if case["scheme"] == "connection" else verify_account_webhook
            headers = {name: value for name, value in case["headers"].items() if isinstance(value, str)}
            for body in (case["body"], case["body"].encode()):
                with self.subTest(case["name"], scheme=case["scheme"]), Clock(case["now"]):
                    try:
                        ended = verify(body, headers, case["secrets"])["type"]
                    except WebhookError as error:
                        ended = type(error).__name__
                    self.assertEqual(ended, case["type"] if case["accepted"] else "WebhookError")

    def test_paths(self) -> None:
        for case in cases("paths.json"):
            script = Script(Answer(200, b'{"data": null}'))
            with self.subTest(case["name"]):
                if case["segment"] is None:
                    self.assertRaises(GatewayError, lambda: ConnectionClient("svc_x", "https://a.example", transport=script).messages.get(case["id"]))
                    self.assertRaises(GatewayError, lambda: AccountClient("svc_x", "https://a.example", transport=script).instance(case["id"]))
                    self.assertEqual(script.requests, [])
                else:
                    ConnectionClient("svc_x", "https://a.example", transport=script).messages.get(case["id"])
                    self.assertEqual(script.requests[0].url, f"https://a.example/api/v1/messages/{case['segment']}")

    def test_retries(self) -> None:
        for case in cases("retries.json"):
            script = Script(*[_answer(each) for each in case["answers"]])
            client = ConnectionClient("svc_x", "https://app.example.com", transport=script)
            with self.subTest(case["name"]), Clock():
                try:
                    client.messages.send_text({"to": "5511900000002", "text": "Olá"})
                    ended = "ok"
                except GatewayError as error:
                    ended = NAMES.get(type(error).__name__, type(error).__name__)
                self.assertEqual((ended, len(script.requests)), (case["ends"], case["attempts"]))
                keys = {headers["idempotency-key"] for headers in script.headers}
                self.assertEqual(len(keys), 1)
                self.assertRegex(keys.pop(), "^[0-9a-f-]{36}$")

    def test_listening(self) -> None:
        for case in cases("listening.json"):
            for api in ("connection", "account"):
                with self.subTest(case["name"], api=api), TemporaryDirectory() as folder, Clock() as clock:
                    server = _Listeners()
                    for run in case["runs"]:
                        server.left = list(run["answers"])
                        server.opened = []
                        clock.sleeps = []
                        states: List[str] = []
                        yielded, ended = _read(server, api, run, FileCheckpoint(Path(folder, "deep", "place")), states)
                        self.assertEqual((server.opened, yielded, states, ended), (run["opened"], run["yields"], run["states"], run["ends"]))
                        if "pauses" in run:
                            self.assertEqual(len(clock.sleeps), run["pauses"])


class _Listeners:
    """A scripted gateway with listeners."""

    def __init__(self) -> None:
        self.left: List[Any] = []
        self.opened: List[Any] = []
        self.created = 0

    def __call__(self, request: Request) -> Any:
        if request.method == "POST":
            self.created += 1
            return Answer(200, json.dumps({"data": {"id": f"lst_{self.created}"}}).encode())
        self.opened.append({"listener": request.url.split("/")[-2], "after": request.headers.get("last-event-id")})
        given = self.left.pop(0)
        assert request.timeout == 45
        if given == "silence":
            raise TimeoutError("timed out")
        if not isinstance(given, dict) or "text" not in given:
            return _raised(_answer(given))
        return Silent(200, given["text"].encode()) if given.get("then") == "silence" else Answer(200, given["text"].encode())


class Silent(Answer):
    """A body that times out instead of ending."""

    def readline(self, *_: Any) -> bytes:
        line = super().readline()
        if line == b"":
            raise TimeoutError("timed out")
        return line


def _raised(answer: Any) -> Any:
    if isinstance(answer, BaseException):
        raise answer
    return answer


def _read(server: _Listeners, api: str, run: Any, checkpoint: FileCheckpoint, states: List[str]) -> "tuple[List[Any], str]":
    events = (
        ConnectionClient("svc_x", "https://a.example", transport=server).events
        if api == "connection"
        else AccountClient("svc_x", "https://a.example", transport=server).instance("7").events
    )
    yielded: List[Any] = []
    try:
        for event in events.listen(checkpoint=checkpoint, on_state=lambda state: states.append(state["state"])):
            if event["type"] == "gap":
                known = {"missed": event["missed"], "since": event["since"], "until": event["until"]}
                yielded.append(known if event["missed"] is not None else {"missed": None})
            else:
                yielded.append(event["id"])
            if event["id"] is not None and event["id"] == run.get("stops_at"):
                return yielded, "stopped"
    except GatewayError as error:
        return yielded, NAMES.get(type(error).__name__, type(error).__name__)
    return yielded, "ended"


def _answer(given: Any) -> Any:
    if given == "none":
        return RemoteDisconnected("closed")
    body = json.dumps({"error": {"codigo": given["code"], "mensagem": "…"}}) if "code" in given else "<html>"
    headers = {"retry-after": given["retry_after"]} if "retry_after" in given else {}
    return Answer(given["status"], ("{}" if given["status"] == 200 else body).encode(), headers)
