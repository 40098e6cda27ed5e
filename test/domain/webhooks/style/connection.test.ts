import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { GatewayEvent } from "@gateway/domain/gateway-event.ts";
import { render } from "@gateway/domain/webhooks/style/style.ts";
import { withDeliveryId, serializeBody } from "@gateway/domain/webhooks/style/body.ts";
import { CONNECTION_EVENTS, DEFAULT_CONNECTION_EVENTS } from "@gateway/domain/webhooks/connection-events.ts";
import { CONNECTION_STYLE } from "@gateway/domain/webhooks/style/connection.ts";
import { CONNECTION_EVENT_TYPES } from "#root/src/api/events/connection/events.ts";
import { connectionEvent } from "#root/test/support/events/connection-events.ts";
import { EVENTS, message, photo, context, sent, unknown } from "./sample.ts";

const rendered = (event: GatewayEvent) => render(CONNECTION_STYLE, event, context);
const dataOf = (event: GatewayEvent) => rendered(event)[0]?.data;
const ConnectionEventType = z.enum(CONNECTION_EVENT_TYPES);

/** The sent body, as parsed by its strict schema. */
function bodyIn(event: GatewayEvent): unknown {
  const [only, ...more] = rendered(event);
  expect(more).toEqual([]);
  const type = ConnectionEventType.parse(only?.type);
  const at = "message" in event ? event.message.timestamp : event.timestamp;
  return connectionEvent(type).parse(
    JSON.parse(withDeliveryId("msg_0123456789", serializeBody(CONNECTION_STYLE, type, at * 1_000, only?.data ?? {}, context.instance))),
  );
}

const group = { chat_id: "120363000000000001@g.us" };
const ana = EVENTS["group.participants"].by;
const said = (changes: Parameters<typeof message>[0]): GatewayEvent => ({ type: "message.received", message: message(changes) });
const status = EVENTS["message.status"];
const inGroup = { ...status, ...group, is_group: true, recipient: null };
const failure = { code: "temporarily_blocked" } as const;
const card = { full_name: "Bia", phone: null, vcard: "BEGIN:VCARD" };
const restriction = { type: "new_chats_blocked", enforcement: "x", ends_at: null, detected_at: 1_899_999_999 } as const;

/** All shapes of an event. */
const SHAPES: readonly GatewayEvent[] = [
  ...Object.values(EVENTS).filter(({ type }) => type !== "instance.qr" && type !== "contact.created"),
  ...["image", "video", "audio", "voice", "document", "sticker"].map((type) => said({ type, text: null, media: photo })),
  said({ type: "location", text: null, location: { latitude: -23.5, longitude: -46.6, name: null, address: null } }),
  said({ type: "contact", text: null, contacts: [card] }),
  said({ type: "poll", text: null, poll: { question: "Qual?", options: ["a", "b"], selectable_count: 1 } }),
  said({ type: "list" }),
  said({ type: "list_response", selected: { row_id: "r1", title: "Um" } }),
  said({ type: "button_response", selected: { button_id: "b1", title: "Um" } }),
  said({ ...group, sender: unknown, push_name: null, mentions: [unknown, message().sender!] }),
  said({ quoted: { message_id: "3EB0BB", from: ana, from_me: false, text: null, type: "image" } }),
  { type: "message.sent", message: sent({ ...group, recipient: null, source: "phone", reference: null }) },
  ...(["delivered", "read", "played"] as const).flatMap((reached) => [
    { ...status, status: reached },
    { ...inGroup, status: reached, participant: ana },
  ]),
  { ...status, status: "failed", failure },
  { ...inGroup, status: "failed", failure: null },
  { ...EVENTS["message.reaction"], ...group, sender: unknown, reaction: "" },
  { ...EVENTS["message.edited"], from_me: true, sender: null },
  { ...EVENTS["message.deleted"], ...group, author: null, by: null },
  { ...EVENTS["poll.vote"], options: [] },
  ...(["leave", "promote", "demote"] as const).map((action) => ({ ...EVENTS["group.participants"], action, reason: null })),
  { ...EVENTS["group.participants"], reason: "created", by: null },
  { ...EVENTS["group.updated"], changed: { description: null, messages_admins_only: true, info_admins_only: false } },
  { ...EVENTS["group.updated"], changed: { members_can_add: true, join_approval: true, disappearing_seconds: 0 } },
  { ...EVENTS["group.updated"], changed: { picture_changed: true, invite_link_changed: true } },
  ...(["received", "accepted", "rejected"] as const).map((status) => ({ ...EVENTS.call, status, is_video: true })),
  { ...EVENTS.call, ...group, is_group: true, from: unknown },
  ...(["online", "offline", "typing", "paused", "recording"] as const).map((presence) => ({ ...EVENTS.presence, presence })),
  { ...EVENTS.presence, presence: "offline", last_seen: 1_899_999_999 },
  { ...EVENTS["instance.status"], restriction, reason: "restricted" },
  { ...EVENTS["instance.status"], ban: { code: null, ends_at: null }, status: "failed", reason: "temporarily_banned" },
  { ...EVENTS["instance.status"], status: "scan_qr", phone: null, reason: "waiting_scan" },
  { ...EVENTS["instance.status"], status: "connecting", previous_status: "connected", reason: "reconnecting" },
  { ...EVENTS["label.chat"], labelled: false, name: null },
  { ...EVENTS["label.deleted"], name: null },
];

it("a new webhook gets every type but presence", () => {
  expect(DEFAULT_CONNECTION_EVENTS).toEqual(CONNECTION_EVENTS.filter((type) => type !== "presence"));
});

it.each(SHAPES)("an event of type $type is rendered as its schema says (%#)", (event) => {
  expect(CONNECTION_EVENTS).toContain((bodyIn(event) as { type: string }).type);
});

it("every documented type is rendered in some shape", () => {
  const types = new Set(SHAPES.flatMap(rendered).map(({ type }) => type));
  expect([...types, "webhook.test"].toSorted()).toEqual(CONNECTION_EVENT_TYPES.toSorted());
});

it.each([EVENTS["instance.qr"], EVENTS["contact.created"]])("no event is rendered for $type", (event) =>
  expect(rendered(event)).toEqual([]),
);

it("an event wraps its data in the envelope, id first, with the time the event happened", () => {
  const at = Date.UTC(2030, 2, 1, 12, 0, 0, 5);
  const frozen = serializeBody(CONNECTION_STYLE, "presence", at, { a: 1 }, context.instance);
  expect(withDeliveryId("msg_1", frozen)).toBe(
    '{"id":"msg_1","type":"presence","created_at":"2030-03-01T12:00:00.005Z","instance":{"id":7,"name":"Loja","phone":"5511900000001"},"data":{"a":1}}',
  );
});

describe("messages", () => {
  it("link their media without authentication, with a null url while there is no file", () => {
    expect(dataOf({ type: "message.received", message: message({ type: "image", text: null, media: photo }) })).toMatchObject({
      text: null,
      media: { url: "https://app.example.com/api/midia/token1.jpg", mimetype: "image/jpeg" },
    });
    const waiting = message({ type: "image", media: { ...photo, token: null } });
    expect(dataOf({ type: "message.received", message: waiting })).toMatchObject({ media: { url: null, mimetype: "image/jpeg" } });
  });

  it("name the sender in a group, and no recipient", () => {
    const group = { chat_id: "120363000000000001@g.us" };
    expect(dataOf({ type: "message.received", message: message(group) })).toMatchObject({ from: "5511900000002", is_group: true });
    expect(dataOf({ type: "message.sent", message: sent({ ...group, recipient: null }) })).toMatchObject({ to: null, is_group: true });
  });

  it("never show an internal id as a phone", () => {
    const hidden = message({ chat_id: "222222222222222@lid", sender: unknown, mentions: [unknown] });
    expect(dataOf({ type: "message.received", message: hidden })).toMatchObject({
      from: null,
      chat_id: "222222222222222@lid",
      mentions: [],
    });
    expect(dataOf({ type: "message.sent", message: sent({ chat_id: "222222222222222@lid", recipient: unknown }) })).toMatchObject({
      to: null,
    });
  });

  it("carry a selection only if something was selected", () => {
    expect(dataOf({ type: "message.received", message: message() })).not.toHaveProperty("selected");
    const chosen = message({ type: "list_response", text: null, selected: { row_id: "r1", title: "Um" } });
    expect(dataOf({ type: "message.received", message: chosen })).toMatchObject({ selected: { row_id: "r1", title: "Um" }, text: "Um" });
  });

  it("describe content that has no text", () => {
    const text = (changes: Parameters<typeof message>[0]) =>
      dataOf({ type: "message.received", message: message({ text: null, ...changes }) })?.["text"];
    expect(text({ type: "poll", poll: { question: "Qual?", options: ["a", "b"], selectable_count: 1 } })).toBe("Qual?");
    expect(text({ type: "location", location: { latitude: -23.5, longitude: -46.6, name: null, address: null } })).toBe("-23.5, -46.6");
    expect(
      text({
        type: "contact",
        contacts: [
          { full_name: "Bia", phone: null, vcard: "" },
          { full_name: "Caio", phone: null, vcard: "" },
        ],
      }),
    ).toBe("Bia, Caio");
    expect(text({ type: "document", media: photo })).toBe("a.jpg");
    expect(text({ type: "sticker", media: photo })).toBeNull();
  });

  it("carry the error of a failure, and the participant in a group", () => {
    const failed = { ...EVENTS["message.status"], status: "failed", failure: { code: "temporarily_blocked" } } as const;
    expect(dataOf(failed)).toMatchObject({ status: "failed", error: { codigo: "bloqueio_temporario" } });
    expect(dataOf({ ...failed, failure: { code: "internal_error" } })).toMatchObject({ error: { codigo: "erro_do_rede" } });
    const inGroup = {
      ...EVENTS["message.status"],
      chat_id: "120363000000000001@g.us",
      is_group: true,
      recipient: null,
      participant: unknown,
    };
    expect(dataOf(inGroup)).toMatchObject({ to: null, phone: null });
    expect(dataOf(EVENTS["message.status"])).not.toHaveProperty("phone");
  });
});

describe("the instance", () => {
  const status = (from: "connected" | "connecting" | "scan_qr" | "disconnected", to: typeof from | "failed") =>
    dataOf({ ...EVENTS["instance.status"], previous_status: from, status: to })?.["status"];

  it("is reported dropped, and never connecting", () => {
    expect(status("connected", "connecting")).toBe("disconnected");
    expect(status("disconnected", "connecting")).toBeUndefined();
    expect(status("connecting", "scan_qr")).toBe("scan_qr");
    expect(status("connecting", "failed")).toBe("failed");
    expect(dataOf({ ...EVENTS["instance.status"], previous_status: "connecting" })).toMatchObject({ previous_status: "disconnected" });
  });

  it("is reported with its restriction's times as text", () => {
    const restriction = { type: "new_chats_blocked", enforcement: "x", ends_at: 1_900_000_000, detected_at: 1_899_999_999 } as const;
    expect(dataOf({ ...EVENTS["instance.status"], restriction })?.["restriction"]).toEqual({
      ...restriction,
      ends_at: "2030-03-17T17:46:40.000Z",
      detected_at: "2030-03-17T17:46:39.000Z",
    });
  });

  it("is reported with the reason and the end of a temporary ban", () => {
    const ban = { code: 101, ends_at: 1_900_000_000 };
    expect(dataOf({ ...EVENTS["instance.status"], ban })?.["ban"]).toEqual({ code: 101, ends_at: "2030-03-17T17:46:40.000Z" });
  });
});

it("the number itself is shown by its own phone", () => {
  expect(dataOf({ ...EVENTS["message.reaction"], from_me: true, sender: null })).toMatchObject({ from: "5511900000001" });
  expect(dataOf({ ...EVENTS["group.participants"] })).toMatchObject({
    participants: [
      { phone: "5511900000002", is_me: false },
      { phone: "5511900000001", is_me: true },
    ],
  });
});

it("calls that ended unanswered have no event", () => expect(rendered({ ...EVENTS.call, status: "ended" })).toEqual([]));

it("an event that is too large to store is truncated", () => {
  const data = { message_id: "3EB0AA", count: 2, text: "x".repeat(2_500_000), list: ["a"] };
  const body = JSON.parse(withDeliveryId("msg_1", serializeBody(CONNECTION_STYLE, "message.received", 0, data, context.instance))) as {
    data: unknown;
  };
  expect(body.data).toEqual({ message_id: "3EB0AA", count: 2, truncated: true });
});
