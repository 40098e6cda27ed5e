"""Tests pages, streams, outcomes, the client's own errors, and requests over a real socket."""
from __future__ import annotations

import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, List
from unittest import mock

import gateway_sdk as sdk
from gateway_sdk.webhooks import WebhookError, verify_connection_webhook

from scripted import Answer, Clock, Script, answer

SIGNED = json.loads((Path(__file__).parents[2] / "conformance/signatures.json").read_text("utf-8"))[0]


def client(*answers: Any) -> "tuple[sdk.ConnectionClient, Script]":
    script = Script(*answers)
    return sdk.ConnectionClient("svc_secret", "https://app.example.com/", transport=script), script


def refusal(status: int, code: str, details: Any = None) -> Answer:
    return answer(status, {"error": {"codigo": code, "mensagem": "…", "detalhes": details}, "request_id": "r1"})


class Lists(unittest.TestCase):
    def pages(self) -> "List[Answer]":
        return [answer(200, {"data": [n, n + 1], "next_cursor": f"c/{n}" if n < 4 else None}) for n in (0, 2, 4)]

    def test_are_iterated_over_all_pages(self) -> None:
        gateway, script = client(*self.pages())
        self.assertEqual(list(gateway.chats.list(limit=2, archived=False)), [0, 1, 2, 3, 4, 5])
        self.assertTrue(script.requests[0].url.endswith("/api/v1/chats?limit=2&archived=false"))
        self.assertIn("cursor=c%2F0", script.requests[1].url)

    def test_start_with_their_first_page(self) -> None:
        gateway, _ = client(*self.pages())
        second = gateway.chats.list().first().next()
        assert second is not None
        self.assertEqual(second.data, [2, 3])
        last = second.next()
        assert last is not None
        self.assertIsNone(last.next())


class Messages(unittest.TestCase):
    def test_name_the_invalid_fields(self) -> None:
        fields = [{"campo": "text", "motivo": "é obrigatório"}, {"campo": "message", "motivo": "use text"}]
        gateway, _ = client(refusal(400, "requisicao_invalida", fields))
        with self.assertRaises(sdk.InvalidRequestError) as raised:
            gateway.instance.get()
        self.assertEqual(str(raised.exception), "requisicao_invalida: … (text: é obrigatório; message: use text)")

    def test_are_made_of_whatever_a_later_gateway_lists(self) -> None:
        gateway, _ = client(refusal(400, "requisicao_invalida", [None, {"campo": "text", "motivo": "é obrigatório"}]))
        with self.assertRaises(sdk.InvalidRequestError) as raised:
            gateway.instance.get()
        self.assertEqual(str(raised.exception), "requisicao_invalida: … (text: é obrigatório)")

    def test_are_asked_for_in_the_language_of_the_others(self) -> None:
        gateway, script = client(answer(200, {"data": {}}))
        gateway.instance.get()
        self.assertEqual(script.headers[0]["accept-language"], "en")


class Outcomes(unittest.TestCase):
    def test_of_an_uncertain_send_are_looked_up(self) -> None:
        for statuses, outcome in (([None, "sent"], "sent"), (["failed"], "failed"), ([None], "unknown")):
            uncertain = refusal(424, "resultado_incerto", {"message_id": "3EB0A"})
            gateway, script = client(uncertain, *[answer(200, {"data": {"status": each}}) for each in statuses])
            with self.subTest(outcome), Clock(), self.assertRaises(sdk.OutcomeUnknownError) as raised:
                gateway.messages.send_text({"to": "5511900000002", "text": "x"})
            if statuses == [None]:
                script.left = [answer(200, {"data": {"status": None}}) for _ in range(9)]
            with Clock():
                self.assertEqual(raised.exception.resolve(timeout=10), outcome)
            self.assertEqual({each.url for each in script.requests[1:]}, {"https://app.example.com/api/v1/messages/3EB0A"})


    def test_of_posts_are_looked_up_among_the_messages(self) -> None:
        sends = {
            "/api/v1/": lambda: self.connection().status.post_text({"text": "x"}),
            "/api/v1/ ": lambda: self.connection().channels.send_text("120363@newsletter", {"text": "x"}),
            "/api/instances/7/": lambda: self.account().status.post_text({"text": "x"}),
        }
        for prefix, send in sends.items():
            self.script = Script(refusal(424, "resultado_incerto", {"message_id": "3EB0A"}), answer(200, {"data": {"status": "sent"}}))
            with self.subTest(prefix), self.assertRaises(sdk.OutcomeUnknownError) as raised:
                send()
            self.assertEqual(raised.exception.resolve(timeout=0), "sent")
            self.assertEqual(self.script.requests[1].url, f"https://app.example.com{prefix.strip()}messages/3EB0A")

    def connection(self) -> sdk.ConnectionClient:
        return sdk.ConnectionClient("svc_x", "https://app.example.com", transport=self.script)

    def account(self) -> Any:
        return sdk.AccountClient("svc_x", "https://app.example.com", transport=self.script).instance("7")


class MediaOfMessages(unittest.TestCase):
    def test_come_as_a_link_or_in_base64_because_bytes_are_not_json(self) -> None:
        script = Script(*[answer(200, {"data": {"url": "https://app.example.com/f"}}) for _ in range(2)])
        chats = sdk.AccountClient("svc_x", "https://app.example.com", transport=script).instance("7").chats
        self.assertEqual(chats.get_message_media("c", "m"), {"url": "https://app.example.com/f"})
        chats.get_message_media("c", "m", format="base64")
        self.assertEqual([each.url.split("?")[1] for each in script.requests], ["format=url", "format=base64"])


class Errors(unittest.TestCase):
    def test_carry_what_a_program_and_a_support_request_need(self) -> None:
        gateway, _ = client(refusal(423, "bloqueio_temporario", {"ends_at": 1_795_314_249}))
        with self.assertRaises(sdk.TemporarilyBlockedError) as raised:
            gateway.messages.send_text({"to": "5511900000002", "text": "x"}, idempotency_key="order-1")
        error = raised.exception
        self.assertEqual((error.status, error.code, error.request_id, error.idempotency_key), (423, "bloqueio_temporario", "r1", "order-1"))
        assert error.ends_at is not None
        self.assertEqual(error.ends_at.timestamp(), 1_795_314_249)

    def test_of_wrong_use_come_before_the_wire(self) -> None:
        gateway, script = client(answer(200, {}))
        for wrong in (lambda: gateway.chats.get(""), lambda: sdk.ConnectionClient("", "https://a.example"), lambda: sdk.ConnectionClient("k", "a")):
            self.assertRaises(sdk.GatewayError, wrong)
        self.assertRaises(TypeError, lambda: gateway.instance.get(time_out=3))
        self.assertEqual(script.requests, [])

    def test_retries_are_logged_without_bodies_and_keys(self) -> None:
        gateway, _ = client(OSError("refused"), answer(200, {"message_id": "M"}))
        with Clock() as clock, self.assertLogs("gateway_sdk", "INFO") as logged:
            gateway.messages.send_text({"to": "5511900000002", "text": "segredo"})
        self.assertIn("retry 1 of POST /api/v1/messages/text after APIConnectionError", logged.output[0])
        self.assertNotRegex("".join(logged.output) + repr(gateway) + repr(vars(gateway)), "segredo|svc_secret")
        self.assertEqual(len(clock.sleeps), 1)

    def test_an_answer_that_is_cut_is_asked_again(self) -> None:
        gateway, script = client(Answer(200, b'{"data": {"na'), answer(200, {"data": {"name": "Loja"}}))
        with Clock():
            self.assertEqual(gateway.instance.get()["name"], "Loja")
        self.assertEqual(len(script.requests), 2)


class Streams(unittest.TestCase):
    def test_resume_behind_the_last_event_and_end_with_a_refusal(self) -> None:
        first = b'id: 1\nevent: message.received\ndata: {"id":"msg_1"}\n\n: still here\n\nid: 2\nevent: call\ndata: {"id":\ndata: "msg_2"}\n\nid: 3\nda'
        script = Script(Answer(200, first), OSError("cut"), refusal(401, "unauthorized"))
        account = sdk.AccountClient("svc_x", "https://app.example.com", transport=script)
        seen = []
        with Clock(), self.assertRaises(sdk.AuthenticationError):
            for event in account.instance("7").webhooks.stream_events():
                seen.append((event.id, event.type, event.data["id"]))
        self.assertEqual(seen, [("1", "message.received", "msg_1"), ("2", "call", "msg_2")])
        self.assertEqual([headers.get("last-event-id") for headers in script.headers], [None, "2", "2"])


class Checkpoints(unittest.TestCase):
    def test_ignore_a_last_line_that_was_cut_off_and_stay_small_and_private(self) -> None:
        with TemporaryDirectory() as folder:
            path = Path(folder, "place")
            checkpoint = sdk.FileCheckpoint(path)
            self.assertIsNone(checkpoint.load())
            checkpoint.start("lst_1")
            for number in range(1, 21_001):
                checkpoint.save("lst_1", str(number), f"msg_{number}", "now")
            with path.open("a") as opened:
                opened.write('{"place": "21001", "id": "ms')
            place = sdk.FileCheckpoint(path).load()
            assert place is not None
            self.assertEqual((place["listener"], place["place"], len(place["ids"]), place["ids"][-1]), ("lst_1", "21000", 10_000, "msg_21000"))
            self.assertLess(path.stat().st_size, 500_000)
            self.assertEqual(path.stat().st_mode & 0o777, 0o600)

    def test_can_be_read_again_if_the_very_first_line_was_cut_off(self) -> None:
        with TemporaryDirectory() as folder:
            path = Path(folder, "place")
            path.write_text('{"listener": "lst')
            checkpoint = sdk.FileCheckpoint(path)
            self.assertIsNone(checkpoint.load())
            checkpoint.start("lst_1")
            checkpoint.save("lst_1", "1", "msg_1", "now")
            self.assertEqual(sdk.FileCheckpoint(path).load(), {"listener": "lst_1", "place": "1", "ids": ["msg_1"], "at": "now"})


class Files(unittest.TestCase):
    def test_are_sent_in_base64_with_their_type_and_name(self) -> None:
        with TemporaryDirectory() as folder:
            path = Path(folder, "foto.png")
            path.write_bytes(b"\x00\xff")
            self.assertEqual(sdk.media(path), {"base64": "AP8=", "mimetype": "image/png", "filename": "foto.png"})
        self.assertRaises(sdk.GatewayError, lambda: sdk.media(bytes(18 * 1024 * 1024 + 1)))


class Webhooks(unittest.TestCase):
    def verify(self, body: Any, headers: Any) -> Any:
        with Clock(SIGNED["now"]):
            return verify_connection_webhook(body, headers, SIGNED["secrets"])

    def test_accept_none_of_a_thousand_altered_deliveries(self) -> None:
        body, headers = SIGNED["body"].encode(), SIGNED["headers"]
        self.assertEqual(self.verify(body, headers)["type"], "call")
        for n in range(1000):
            part = ("body", "webhook-id", "webhook-timestamp", "webhook-signature")[n % 4]
            altered = bytearray(body if part == "body" else headers[part].encode())
            at = 3 + (n * 7919) % (len(altered) - 3)
            altered[at] ^= 1 << (n % 7)
            sent = headers if part == "body" else {**headers, part: altered.decode("latin-1")}
            with self.assertRaises(WebhookError, msg=f"{part} {at}"):
                self.verify(bytes(altered) if part == "body" else body, sent)

    def test_need_the_raw_body_and_a_secret(self) -> None:
        self.assertRaisesRegex(TypeError, "raw body", lambda: self.verify(json.loads(SIGNED["body"]), SIGNED["headers"]))
        for secrets in ("", [], [""]):
            self.assertRaisesRegex(TypeError, "secret", lambda: verify_connection_webhook(b"", SIGNED["headers"], secrets))


class Sockets(unittest.TestCase):
    """Tests the standard library's transport against a real server."""

    def setUp(self) -> None:
        asked: List[str] = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(f"{self.path} {self.headers['x-api-key']}")
                if self.path == "/api/v1/instance" and len(asked) == 1:
                    return  # closes the connection without a response
                self.send_response(302 if "chats" in self.path else 200)
                self.send_header("location", "/elsewhere")
                self.end_headers()
                self.wfile.write(b'{"data": {"phone": "5511900000001"}}')

            def log_message(self, *_: Any) -> None:
                pass

        self.asked = asked
        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.gateway = sdk.ConnectionClient("svc_x", f"http://127.0.0.1:{self.server.server_port}")

    def tearDown(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def test_a_closed_connection_is_tried_again(self) -> None:
        with mock.patch("time.sleep"):
            self.assertEqual(self.gateway.instance.get()["phone"], "5511900000001")
        self.assertEqual(self.asked, ["/api/v1/instance svc_x"] * 2)

    def test_a_redirect_does_not_get_the_key(self) -> None:
        self.assertRaises(sdk.ApiError, lambda: self.gateway.chats.get("x"))
        self.assertEqual(self.asked, ["/api/v1/chats/x svc_x"])
