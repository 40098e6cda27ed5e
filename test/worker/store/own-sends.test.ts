import { expect, it } from "vitest";
import type { GatewayEvent } from "@gateway/domain/gateway-event.ts";
import type { NetworkMessage } from "@gateway/protocol/message.ts";
import {
  ANA,
  BIA,
  GROUP,
  NOW,
  T0,
  ana,
  image,
  withStores,
  message,
  sendRequest,
  status,
  text,
  types,
  upsert,
  type TestStores,
} from "./world.ts";

const ACK = { timestamp: T0 + 1 };

/** A send accepted through the API, and its echo from the network. */
function accept({ ownSends }: TestStores, chatId = ANA): { id: string; request: ReturnType<typeof sendRequest>; message: NetworkMessage } {
  const request = sendRequest(text("Olá"), { chat_id: chatId });
  ownSends.accepted(request, "api", "pedido-1", NOW);
  return {
    id: request.message_id,
    request,
    message: message({ chat_id: chatId, message_id: request.message_id, from_me: true, text: "Olá" }),
  };
}

const sent = (events: readonly GatewayEvent[]) => events.filter((event) => event.type === "message.sent");

it("the store shows a message as soon as it is accepted, before the network has it", () =>
  withStores((world) => {
    const { id } = accept(world);
    expect(world.stores.messageQueries.get(id, null)).toMatchObject({
      chat_id: ANA,
      from_me: true,
      recipient: ana,
      type: "text",
      text: "Olá",
      status: "pending",
      source: "api",
      reference: "pedido-1",
      timeline: { accepted_at: null },
    });
    expect(world.stores.chatQueries.get(ANA)).toBeNull();
  }));

it("the store emits a send once, when the network has acknowledged it", () =>
  withStores((world) => {
    const { ownSends, stores } = world;
    const own = accept(world);
    const facts = ownSends.sent(own.request, { ...ACK, message: own.message }, "api", "pedido-1", NOW);
    expect(facts).toMatchObject([
      {
        key: `sent|${ANA}|${own.id}`,
        at: (T0 + 1) * 1000,
        event: { type: "message.sent", message: { status: "sent", source: "api", reference: "pedido-1" } },
      },
    ]);
    expect(ownSends.sent(own.request, { ...ACK, message: own.message }, "api", "pedido-1", NOW)).toEqual([]);
    expect(stores.messageQueries.get(own.id, null)).toMatchObject({
      status: "sent",
      timestamp: T0 + 1,
      timeline: { accepted_at: (T0 + 1) * 1000 },
    });
    expect(stores.messages.raw(ANA, own.id)).toBe("cmF3");
    expect(stores.chatQueries.get(ANA)).toMatchObject({ unread_count: 0, last_message: { message_id: own.id, from_me: true } });
  }));

it("the store keeps the link of the media that was sent", () =>
  withStores(({ ownSends, stores }) => {
    const request = sendRequest({
      kind: "image",
      media: { token: "tok", mimetype: "image/jpeg", filename: "a.jpg", size: 10 },
      caption: "Foto",
      view_once: false,
    });
    ownSends.accepted(request, "dashboard", null, NOW);
    const seen = message({ message_id: request.message_id, from_me: true, type: "image", text: "Foto", media: { ...image, token: null } });
    ownSends.sent(request, { ...ACK, message: seen }, "dashboard", null, NOW);
    expect(stores.messageQueries.get(request.message_id, null)).toMatchObject({
      type: "image",
      text: "Foto",
      media: { token: "tok", filename: "a.jpg" },
    });
  }));

it("the store moves a message to the chat that the network resolved the number to", () =>
  withStores((world) => {
    const own = accept(world, "551188887777@c.us");
    world.ownSends.sent(own.request, { ...ACK, message: { ...own.message, chat_id: ANA } }, "api", null, NOW);
    expect(world.stores.messageQueries.get(own.id, null)?.chat_id).toBe(ANA);
    expect(world.stores.chatQueries.get("551188887777@c.us")).toBeNull();
    expect(world.emitted(status(own.id, "delivered"))).toMatchObject([{ type: "message.status", chat_id: ANA }]);
  }));

it("the store keeps one row of a message that history brings under another chat before it is acknowledged", () =>
  withStores((world) => {
    const own = accept(world, "551188887777@c.us");
    const resolved = { ...own.message, chat_id: ANA };
    expect(world.emitted({ type: "message.upsert", origin: "history", message: resolved })).toEqual([]);
    const facts = world.ownSends.sent(own.request, { ...ACK, message: resolved }, "api", "pedido-1", NOW);
    expect(facts).toMatchObject([{ event: { type: "message.sent", message: { chat_id: ANA, source: "api", reference: "pedido-1" } } }]);
    expect(world.sql.exec("SELECT chat_id FROM messages WHERE message_id = ?", own.id).toArray()).toEqual([{ chat_id: ANA }]);
  }));

it("the store emits a message sent from the phone once", () =>
  withStores(({ emitted, stores }) => {
    const event = upsert({ from_me: true }, "own_device");
    expect(emitted(event)).toMatchObject([{ type: "message.sent", message: { source: "phone", status: "sent", recipient: ana } }]);
    expect(emitted(event, { ...event, origin: "offline" }, { ...event, origin: "live" })).toEqual([]);
    expect(stores.chatQueries.get(ANA)?.last_message?.message_id).toBe(event.message.message_id);
  }));

it.each(["the acknowledgement", "a copy from another device", "a receipt"])(
  "the store emits an own message once when %s comes first",
  (first) =>
    withStores((world) => {
      const own = accept(world);
      const copy = { type: "message.upsert", origin: "own_device", message: own.message } as const;
      const settle = () =>
        world.ownSends.sent(own.request, { ...ACK, message: own.message }, "api", "pedido-1", NOW).map(({ event }) => event);
      const ways: Record<string, () => GatewayEvent[]> = {
        "the acknowledgement": settle,
        "a copy from another device": () => world.emitted(copy),
        "a receipt": () => world.emitted(status(own.id, "delivered")),
      };
      const events = [ways[first]?.() ?? [], ...Object.values(ways).map((way) => way())].flat();
      expect(sent(events)).toMatchObject([{ message: { source: "api", reference: "pedido-1", message_id: own.id, text: "Olá" } }]);
      expect(world.stores.messageQueries.get(own.id, null)).toMatchObject({ source: "api", status: "delivered" });
    }),
);

it("the store reports sends proved by a receipt or a copy, for the outbox to settle", () =>
  withStores((world) => {
    const [one, two, three] = [accept(world), accept(world), accept(world)];
    world.ownSends.sent(three.request, { ...ACK, message: three.message }, "api", null, NOW);
    const { confirmedSends } = world.apply(
      status(one.id, "read"),
      { type: "message.upsert", origin: "offline", message: two.message },
      status(three.id, "delivered"),
      upsert({ from_me: true }, "own_device"),
    );
    expect(confirmedSends).toEqual([one.id, two.id]);
  }));

it("the store emits a failed send once, with its reason", () =>
  withStores((world) => {
    const own = accept(world);
    const failure = { code: "number_not_on_network" } as const;
    const facts = world.ownSends.failed(own.id, failure, NOW);
    expect(facts.map(({ event }) => event)).toEqual([
      {
        type: "message.status",
        message_id: own.id,
        chat_id: ANA,
        recipient: ana,
        is_group: false,
        participant: null,
        status: "failed",
        failure,
        reference: "pedido-1",
        timestamp: T0,
      },
    ]);
    expect(world.ownSends.failed(own.id, failure, NOW)).toEqual([]);
    expect(world.stores.messageQueries.get(own.id, null)).toMatchObject({ status: "failed", failure });
  }));

it("the store reverts a failure when a receipt proves that the message arrived", () =>
  withStores((world) => {
    const own = accept(world);
    world.ownSends.failed(own.id, { code: "unavailable" }, NOW);
    expect(types(world.apply(status(own.id, "delivered")).facts)).toEqual(["message.sent", "message.status"]);
    expect(world.stores.messageQueries.get(own.id, null)).toMatchObject({ status: "delivered", failure: null });
    expect(world.ownSends.failed(own.id, { code: "unavailable" }, NOW)).toEqual([]);
  }));

it("the store shows a failed message as pending while it is tried again under its id", () =>
  withStores((world) => {
    const own = accept(world);
    world.ownSends.failed(own.id, { code: "unavailable" }, NOW);
    world.ownSends.accepted(own.request, "api", "pedido-1", NOW);
    expect(world.stores.messageQueries.get(own.id, null)).toMatchObject({ status: "pending", failure: null });
    expect(types(world.ownSends.sent(own.request, { ...ACK, message: own.message }, "api", "pedido-1", NOW))).toEqual(["message.sent"]);
    world.ownSends.accepted(own.request, "api", "pedido-1", NOW);
    expect(world.stores.messageQueries.get(own.id, null)?.status).toBe("sent");
  }));

it("the store emits a message from the phone again once it can be decrypted", () =>
  withStores(({ emitted, stores }) => {
    const standIn = upsert({ from_me: true, type: "undecrypted", text: null, raw: null }, "own_device");
    const itself = { ...standIn, message: { ...standIn.message, type: "text", text: "Agora sim", raw: "cmF3" } };
    expect(emitted(standIn)).toMatchObject([{ type: "message.sent", message: { type: "undecrypted" } }]);
    expect(emitted(itself)).toMatchObject([{ type: "message.sent", message: { type: "text", text: "Agora sim" } }]);
    expect(emitted(itself, standIn)).toEqual([]);
    expect(stores.messageQueries.get(itself.message.message_id, null)?.text).toBe("Agora sim");
  }));

it("the store emits nothing for the failure of a send that is no message", () =>
  withStores(({ ownSends }) => {
    const request = sendRequest({
      kind: "reaction",
      target: { chat_id: ANA, message_id: "X", from_me: false, participant: null },
      reaction: "👍",
    });
    ownSends.accepted(request, "api", null, NOW);
    expect(ownSends.failed(request.message_id, { code: "network_error" }, NOW)).toEqual([]);
  }));

it("the store applies an own action on a message as if another device had made it", () =>
  withStores(({ ownSends, apply, stores }) => {
    const me = { phone: "5511955554444", lid: null };
    apply({ type: "session.open", ...me, profile_name: null, is_business: false, platform: null, timestamp: T0 });
    const theirs = upsert();
    const mine = upsert({ from_me: true }, "own_device");
    apply(theirs, mine);
    const target = (message: typeof theirs) => ({
      chat_id: ANA,
      message_id: message.message.message_id,
      from_me: message.message.from_me,
      participant: null,
    });
    const act = (content: Parameters<typeof sendRequest>[0]) => {
      const request = sendRequest(content);
      ownSends.accepted(request, "api", null, NOW);
      const acknowledged = { ...ACK, message: message({ message_id: request.message_id, from_me: true, type: content.kind }) };
      return ownSends.sent(request, acknowledged, "api", null, NOW);
    };
    expect(types(act({ kind: "reaction", target: target(theirs), reaction: "👍" }))).toEqual(["message.reaction"]);
    expect(stores.messageQueries.get(theirs.message.message_id, null)?.reactions).toEqual([
      { from_me: true, sender: null, reaction: "👍", timestamp: T0 + 1 },
    ]);
    expect(types(act({ kind: "edit", target: target(mine), text: "Corrigido" }))).toEqual(["message.edited"]);
    expect(stores.messageQueries.get(mine.message.message_id, null)).toMatchObject({ text: "Corrigido", edited_at: (T0 + 1) * 1000 });
    expect(act({ kind: "delete", target: target(mine) })).toMatchObject([{ event: { type: "message.deleted", from_me: true, by: me } }]);
    expect(stores.messageQueries.get(mine.message.message_id, null)).toMatchObject({ text: null, deleted_at: (T0 + 1) * 1000 });
    expect(act({ kind: "disappearing", seconds: 86_400 })).toEqual([]);
    expect(stores.chatQueries.get(ANA)?.disappearing_seconds).toBe(86_400);
    expect(act({ kind: "pin", target: target(mine), seconds: 86_400 })).toEqual([]);
    expect(stores.messages.lastMessages(ANA, 10)).toHaveLength(2);
  }));

it.each([
  ["of the same chat", GROUP, null],
  ["of a group in a private reply", ANA, ana],
])("the store shows a message %s that a pending message quotes", (_, chatId, recipient) =>
  withStores(({ ownSends, apply, stores }) => {
    const quoted = upsert({ text: "Pergunta", chat_id: GROUP, sender: ana });
    apply(quoted);
    const ref = { chat_id: GROUP, message_id: quoted.message.message_id, from_me: false, participant: ana };
    const request = sendRequest(text("Resposta"), { chat_id: chatId, quoted: { raw: "cmF3", ref } });
    ownSends.accepted(request, "api", null, NOW);
    expect(stores.messageQueries.get(request.message_id, null)).toMatchObject({
      recipient,
      quoted: { message_id: ref.message_id, from: ana, from_me: false, text: "Pergunta", type: "text" },
    });
  }),
);

it("the store finds an own message before another one with the same id", () =>
  withStores((world) => {
    const own = accept(world);
    world.apply(upsert({ chat_id: BIA, message_id: own.id }));
    expect(world.stores.messageQueries.get(own.id, null)?.chat_id).toBe(ANA);
    expect(world.stores.messageQueries.get(own.id, BIA)?.from_me).toBe(false);
    expect(world.stores.messages.find(own.id, null)?.ref.from_me).toBe(true);
  }));
