import { expect, it } from "vitest";
import { internalIdsIn } from "../../support/internal-ids.ts";
import { Receiver } from "../../support/receiver.ts";

const clean = { id: "msg_1", type: "call", data: { chat_id: "5511900000002@c.us", text: "às 12:30 @ana", at: "2030-01-01T12:00:00Z" } };

it.each([
  ["a value", { ...clean, data: { from: "111@lid" } }, "$.data.from: 111@lid"],
  ["a text", { ...clean, data: { list: [{ text: "oi 111@lid!" }] } }, "$.data.list.0.text: oi 111@lid!"],
  ["a key", { ...clean, data: { "111@lid": 1 } }, "$.data: the key 111@lid"],
  ["a hosted one", { ...clean, by: "111@hosted.lid" }, "$.by: 111@hosted.lid"],
  ["a device", { ...clean, by: "5511900000002:12@c.us" }, "$.by: 5511900000002:12@c.us"],
  ["the wire's suffix", { ...clean, by: "5511900000002@s.whatsapp.net" }, "$.by: 5511900000002@s.whatsapp.net"],
  ["a device on the Account API", { event: "x", data: { from: "55119:3@s.whatsapp.net" } }, "$.data.from: 55119:3@s.whatsapp.net"],
])("an internal id is found as %s", (_what, body, where) => expect(internalIdsIn(JSON.stringify(body))).toEqual([where]));

it("an internal id is found in a body that is not JSON", () => expect(internalIdsIn("{ 111@lid")).toEqual(["$: { 111@lid"]));

it("a body without internal ids passes the check", () => {
  expect(internalIdsIn(JSON.stringify(clean))).toEqual([]);
  expect(internalIdsIn(JSON.stringify({ event: "x", data: { from: "5511900000002@s.whatsapp.net" } }))).toEqual([]);
});

it("a test fails if its receiver gets an internal id", async () => {
  const receiver = await Receiver.start();
  await fetch(receiver.url, { method: "POST", body: JSON.stringify(clean) });
  await fetch(receiver.url, { method: "POST", body: '{"data":{"participants":[{"phone":"111@lid"}]}}' });
  await expect(receiver.stop()).rejects.toThrow("$.data.participants.0.phone: 111@lid");
});
