import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { GatewayEvent } from "@gateway/domain/gateway-event.ts";
import { ACCOUNT_EVENTS, ACCOUNT_STYLE } from "@gateway/domain/webhooks/style/account.ts";
import { render } from "@gateway/domain/webhooks/style/style.ts";
import { withDeliveryId, serializeBody } from "@gateway/domain/webhooks/style/body.ts";
import { accountEvent } from "#root/test/support/events/account-events.ts";
import { EVENTS, message, photo, context, sent, unknown } from "./sample.ts";

const rendered = (event: GatewayEvent) => render(ACCOUNT_STYLE, event, context);
const typesOf = (event: GatewayEvent) => rendered(event).map(({ type }) => type);
const dataOf = (event: GatewayEvent) => rendered(event)[0]?.data;

const status = EVENTS["message.status"];
const members = EVENTS["group.participants"];
const instance = EVENTS["instance.status"];

const SHOWN: readonly GatewayEvent[] = [
  EVENTS["message.received"],
  EVENTS["message.sent"],
  status,
  { ...status, status: "read" },
  { ...status, status: "failed", failure: { code: "number_not_on_network" } },
  EVENTS["message.reaction"],
  instance,
  { ...instance, status: "failed", previous_status: "connecting", reason: "banned" },
  EVENTS["instance.qr"],
  { ...members, participants: members.participants.slice(0, 1) },
  { ...members, action: "leave", reason: "left", participants: members.participants.slice(0, 1) },
  EVENTS["contact.created"],
];

/** Variants of the same event types. */
const group = { chat_id: "120363000000000001@g.us" };
const card = { full_name: "Bia", phone: "5511900000003", vcard: "BEGIN:VCARD" };
const quoted = { message_id: "3EB0BB", from: null, from_me: true, text: "oi", type: "text" };
const SHAPES: readonly GatewayEvent[] = [
  ...SHOWN,
  { type: "message.received", message: message({ ...group, sender: unknown, mentions: [unknown, message().sender!] }) },
  { type: "message.received", message: message({ type: "image", text: null, media: photo, quoted, view_once: true }) },
  { type: "message.received", message: message({ type: "contact", text: null, contacts: [card] }) },
  {
    type: "message.received",
    message: message({ type: "location", text: null, location: { latitude: 1, longitude: 2, name: null, address: null } }),
  },
  { type: "message.received", message: message({ type: "poll", poll: { question: "Qual?", options: ["a"], selectable_count: 1 } }) },
  { type: "message.received", message: message({ type: "button_response", selected: { button_id: "b", title: "Um" } }) },
  { type: "message.sent", message: sent({ ...group, recipient: null, source: "phone", reference: null, media: photo }) },
  { ...status, ...group, is_group: true, recipient: null, participant: message().sender, status: "played" },
  { ...status, status: "failed", failure: null },
  { ...EVENTS["message.reaction"], from_me: true, sender: null, reaction: "" },
  { ...instance, status: "connecting", previous_status: "connected", reason: "reconnecting", will_reconnect: true },
  { ...members, reason: "created", by: null, participants: members.participants.slice(1) },
  { ...EVENTS["contact.created"], name: null, push_name: "Ana", source: "detected" },
];

it.each(SHAPES)("an event of type $type is rendered as its schema says (%#)", (event) => {
  const [only, ...more] = rendered(event);
  expect(more).toEqual([]);
  const type = z.enum(ACCOUNT_EVENTS).parse(only?.type);
  const body = withDeliveryId("msg_0123456789", serializeBody(ACCOUNT_STYLE, type, 1_900_000_000_000, only?.data ?? {}, context.instance));
  expect(accountEvent(type).safeParse(JSON.parse(body)).error).toBeUndefined();
});

it("each type is rendered from its fact", () => {
  expect(SHOWN.flatMap(typesOf)).toEqual([
    "message.received",
    "message.sent",
    "message.delivered",
    "message.read",
    "message.failed",
    "message.reaction",
    "instance.connected",
    "instance.disconnected",
    "instance.qr",
    "group.joined",
    "group.left",
    "contact.created",
  ]);
  for (const event of SHOWN) {
    const [only] = rendered(event);
    expect(ACCOUNT_EVENTS).toContain(only?.type);
  }
});

it.each([
  "message.edited",
  "message.deleted",
  "poll.vote",
  "group.updated",
  "call",
  "presence",
  "label.updated",
  "label.deleted",
  "label.chat",
] as const)("no event is rendered for %s", (type) => expect(rendered(EVENTS[type])).toEqual([]));

it("an event wraps its data in the envelope, id first", () => {
  const frozen = serializeBody(ACCOUNT_STYLE, "message.read", Date.UTC(2030, 0, 1), { a: 1 }, context.instance);
  expect(withDeliveryId("msg_1", frozen)).toBe(
    '{"id":"msg_1","event":"message.read","instance_id":"0189a5b2-7c3d-7e4f-8a9b-0c1d2e3f4a5b","timestamp":"2030-01-01T00:00:00.000Z","data":{"a":1}}',
  );
});

it("people are written with the network's suffix, or as null if unknown", () => {
  expect(dataOf(EVENTS["message.received"])).toMatchObject({
    from: "5511900000002@s.whatsapp.net",
    chat_id: "5511900000002@c.us",
    participant: null,
  });
  const hidden = message({ chat_id: "120363000000000001@g.us", sender: unknown });
  expect(dataOf({ type: "message.received", message: hidden })).toMatchObject({ from: null, participant: null, is_group: true });
  expect(dataOf({ ...EVENTS["contact.created"], person: unknown })).toMatchObject({ phone_number: null });
});

it("all fields of media are shown", () => {
  expect(dataOf({ type: "message.received", message: message({ type: "image", media: photo }) })).toMatchObject({
    media: {
      url: "https://app.example.com/api/midia/token1.jpg",
      mimetype: "image/jpeg",
      filename: "a.jpg",
      size: 3,
      duration_seconds: null,
      width: 2,
      height: 1,
    },
  });
});

it("read and played make one message.read, whichever comes first", () => {
  const [read] = rendered({ ...status, status: "read" });
  const [played] = rendered({ ...status, status: "played" });
  expect(played?.type).toBe("message.read");
  expect(played?.data).toMatchObject({ status: "read" });
  expect(played?.dedupeKey).toBe(read?.dedupeKey);
  expect(read?.dedupeKey).toBeDefined();
});

it("each participant makes one event, and a promotion none", () => {
  expect(typesOf(members)).toEqual(["group.joined", "group.joined"]);
  expect(rendered(members)[1]?.data).toMatchObject({ participant: "5511900000001@s.whatsapp.net", is_me: true });
  expect(rendered({ ...members, action: "promote" })).toEqual([]);
  expect(rendered({ ...members, action: "demote" })).toEqual([]);
});

describe("an instance", () => {
  const types = (from: typeof instance.status, to: typeof instance.status) => typesOf({ ...instance, previous_status: from, status: to });

  it("is reported connected once per connection", () => {
    expect(types("connecting", "connected")).toEqual(["instance.connected"]);
    expect(types("connected", "connected")).toEqual([]);
  });

  it("is reported disconnected if it was connected or has ended", () => {
    expect(types("connected", "connecting")).toEqual(["instance.disconnected"]);
    expect(types("connecting", "failed")).toEqual(["instance.disconnected"]);
    expect(types("disconnected", "connecting")).toEqual([]);
    expect(types("connecting", "scan_qr")).toEqual([]);
  });
});

it("a temporary ban is reported with its reason and its end", () => {
  const banned = { ...instance, status: "failed", reason: "temporarily_banned", will_reconnect: true } as const;
  expect(dataOf({ ...banned, ban: { code: 101, ends_at: 1_900_000_000 } })).toMatchObject({
    ban: { code: 101, ends_at: "2030-03-17T17:46:40.000Z" },
    will_reconnect: true,
  });
  expect(dataOf({ ...banned, ban: { code: null, ends_at: null } })).toMatchObject({ ban: { code: null, ends_at: null } });
});

it("a failed message is explained", () => {
  const failed = { ...status, status: "failed" } as const;
  expect(dataOf({ ...failed, failure: { code: "number_not_on_network" } })).toMatchObject({
    error: { code: "number_not_on_network", message: expect.any(String) },
  });
  expect(dataOf({ ...failed, failure: null })).toMatchObject({ error: { code: "network_error" } });
});
