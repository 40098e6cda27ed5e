// Edits from newer clients, encrypted with the secret of the edited message.
import { randomBytes } from "node:crypto";
import type { proto } from "baileys";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MessageSecrets, messageSecretsOf, openEdit } from "#root/session-bridge/networks/baileys/memory/message-secrets.ts";
import { createGroup } from "#root/test-network/phone/groups.ts";
import { dispatch } from "#root/test-network/phone/messages/dispatch.ts";
import { sealEdit, SecretEncType } from "#root/test-network/phone/messages/poll-votes.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import { eventually } from "../../support/eventually.ts";
import { freshId, type Session } from "./session.ts";
import { chatOf, must, openWorld, shown, type World } from "./world.ts";

const author = { phone: "5511900000002", lid: "200000000000002" };
const jids = [`${author.phone}@s.whatsapp.net`, `${author.lid}@lid`];
const stranger = { phone: "5511900000003", lid: "300000000000003" };

describe("an edit", () => {
  const messageSecret = randomBytes(32);
  const edit = { conversation: "second" };

  it.each(jids)("is decrypted only for its author and only with its secret, when encrypted by %s", (authorJid) => {
    const sealed = sealEdit(edit, { messageId: "M", messageSecret, authorJid });
    expect(openEdit(sealed, { id: "M", secret: messageSecret, author })).toMatchObject(edit);
    expect(openEdit(sealed, { id: "M", secret: messageSecret, author: stranger })).toBeNull();
    expect(openEdit(sealed, { id: "OTHER", secret: messageSecret, author })).toBeNull();
    expect(openEdit(sealed, { id: "M", secret: randomBytes(32), author })).toBeNull();
    expect(openEdit({ ...sealed, encPayload: Buffer.alloc(3) }, { id: "M", secret: messageSecret, author })).toBeNull();
  });

  it("is not taken for a message edit if it belongs to an event", () => {
    const [authorJid = ""] = jids;
    const sealed = sealEdit(edit, { messageId: "M", messageSecret, authorJid, type: SecretEncType.EVENT_EDIT });
    expect(openEdit(sealed, { id: "M", secret: messageSecret, author })).toMatchObject(edit);
    const mistaken = { ...sealed, secretEncType: SecretEncType.MESSAGE_EDIT };
    expect(openEdit(mistaken, { id: "M", secret: messageSecret, author })).toBeNull();
  });
});

it("the secrets of editable messages are kept as long as the messages are editable", async () => {
  const rows = new Map<string, Buffer | string>();
  const stored = {
    put: (key: string, value: Buffer | string | null) => void rows.set(key, value ?? ""),
    get: (key: string) => rows.get(key),
    keysOf: () => [],
    fetchCold: async (keys: readonly string[]) => new Map(keys.flatMap((key) => (rows.has(key) ? [[key, rows.get(key)!]] : []))),
  };
  const now = Date.UTC(2026, 10, 22);
  const keep = (id: string, type: string, ageHours = 0, secret: Buffer = randomBytes(32)) => {
    const raw = { messageContextInfo: { messageSecret: secret } };
    const timestamp = now / 1000 - ageHours * 3_600;
    new MessageSecrets().store(stored, { chatId: "5511900000002@c.us", id, type, timestamp, raw }, now);
    return secret;
  };
  const found = (id: string) => new MessageSecrets().find(stored, "5511900000002@c.us", id);
  expect(await found("none")).toBeNull();
  for (const type of ["text", "image", "video", "document", "event"]) {
    const secret = keep(type, type);
    expect(await found(type)).toEqual(secret);
  }
  const old = keep("old event", "event", 30 * 24);
  expect(await found("old event")).toEqual(old);
  keep("old", "text", 25);
  keep("sticker", "sticker");
  keep("short", "text", 0, randomBytes(16));
  keep("x".repeat(129), "text");
  for (const id of ["old", "sticker", "short", "x".repeat(129)]) expect(await found(id)).toBeNull();
});

describe.each(["pn", "lid"] as const)("edits by newer clients of people addressed by %s", (addressing) => {
  let world: World;
  let anna: SimulatedPhone, carla: SimulatedPhone;
  let session: Session;
  let lines: { event: string; reason: unknown }[] = [];

  beforeAll(async () => {
    world = await openWorld({ addressing, strict: true });
    ({ phone: anna, session } = await world.pair("Anna"));
    carla = await world.newPhone("Carla");
    session.networkSession.logger.info = ((line: { reason: unknown }, event: string) =>
      lines.push({ event, reason: line.reason })) as never;
  });
  afterAll(() => world.close());

  const edited = (id: string, text?: string) =>
    session.waitForEvent("message.edited", (event) => event.message_id === id && (text === undefined || event.text === text));
  /** Sends messages that simulated phones do not send by themselves. */
  const send = (to: SimulatedPhone | string, message: proto.IMessage, id = freshId()) =>
    carla.act(async (phone) => {
      const stanza = await dispatch(phone, { id, chat: typeof to === "string" ? to : to.deps.jid, message });
      phone.commit(() => undefined);
      phone.link.send(stanza);
      return id;
    });
  const carlasJid = () => (addressing === "lid" ? carla.deps.lid : carla.deps.jid);

  it("become message.edited events, also on a bridge that did not see the message", async () => {
    const { message_id: id } = must(await carla.sendText(anna.pn, "first"));
    await session.received(id);
    must(await carla.edit(anna.pn, id, "second"));
    expect(await edited(id)).toMatchObject({ chat_id: chatOf(carla), from_me: false, sender: { phone: carla.pn }, text: "second" });
    // A new process has only the stored row.
    messageSecretsOf.replace(session.networkSession, new MessageSecrets());
    must(await carla.edit(anna.pn, id, "third"));
    await edited(id, "third");
    expect(session.networkSession.metrics.registry.text()).not.toMatch(/unreadable_edits_total\{/);
  });

  it("are reported for captions as well", async () => {
    const file = { bytes: randomBytes(500), mimetype: "image/png", filename: null };
    const { message_id: id } = must(await carla.send(anna.pn, { type: "image", file, caption: "first", view_once: false }));
    await session.received(id);
    must(await carla.edit(anna.pn, id, "second"));
    expect(await edited(id)).toMatchObject({ text: "second" });
  });

  it("in a group are reported with their author", async () => {
    const group = must(await carla.act((phone) => createGroup(phone, "Sealed", [anna.pn])));
    const { message_id: id } = must(await carla.sendText(group.group_id, "first"));
    await session.received(id);
    must(await carla.edit(group.group_id, id, "second"));
    expect(await edited(id)).toMatchObject({ chat_id: group.group_id, sender: { phone: carla.pn }, text: "second" });
  });

  it("by the owner's phone are reported too", async () => {
    const { message_id: id } = must(await anna.sendText(carla.pn, "first"));
    await session.received(id);
    must(await anna.edit(carla.pn, id, "second"));
    expect(await edited(id)).toMatchObject({ chat_id: chatOf(carla), from_me: true, sender: null, text: "second" });
    await shown(carla, ({ message_id, text }) => message_id === id && text === "second");
  });

  it("have an event's new name", async () => {
    const messageSecret = randomBytes(32);
    const event = (name: string) => ({ eventMessage: { name, startTime: 1_800_000_000 } });
    const id = await send(anna, { ...event("Lunch"), messageContextInfo: { messageSecret } });
    expect(await session.received(id)).toMatchObject({ type: "event", text: "Lunch" });
    const type = SecretEncType.EVENT_EDIT;
    const sealed = sealEdit(event("Dinner"), { messageId: id, messageSecret, authorJid: carlasJid(), type });
    await send(anna, { secretEncryptedMessage: { ...sealed, targetMessageKey: { id } } });
    expect(await edited(id)).toMatchObject({ text: "Dinner", sender: { phone: carla.pn } });
  });

  it("cause one log line and a count if the message's secret is unknown", async () => {
    lines = [];
    const counted = (reason: string) =>
      session.networkSession.metrics.registry.text().includes(`unreadable_edits_total{reason="${reason}"} 1`);
    const sealed = sealEdit({ conversation: "x" }, { messageId: "NEVER", messageSecret: randomBytes(32), authorJid: carlasJid() });
    await send(anna, { secretEncryptedMessage: { ...sealed, targetMessageKey: { id: "NEVER" } } });
    await eventually("the count", 60_000, () => counted("unknown_secret"));
    const { message_id: id } = must(await carla.sendText(anna.pn, "first"));
    await session.received(id);
    await send(anna, { secretEncryptedMessage: { ...sealed, targetMessageKey: { id } } });
    await eventually("the count", 60_000, () => counted("wrong_secret"));
    await send(anna, { secretEncryptedMessage: { ...sealed, secretEncType: SecretEncType.UNKNOWN, targetMessageKey: { id } } });
    await eventually("the count", 60_000, () => counted("unknown_type"));
    expect(lines.filter(({ event }) => event === "edit.unreadable").map(({ reason }) => reason)).toEqual([
      "unknown_secret",
      "wrong_secret",
      "unknown_type",
    ]);
    expect(session.eventsOf("message.edited").filter(({ message_id }) => message_id === id || message_id === "NEVER")).toEqual([]);
  });
});
