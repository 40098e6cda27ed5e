// Changes to messages on the owner's own devices, and files downloaded again.
import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGroup } from "#root/test-network/phone/groups.ts";
import { expireMedia } from "#root/test-network/phone/messages/lost-media.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import type { MessageRef } from "@gateway/protocol/content.ts";
import type { NetworkMessage } from "@gateway/protocol/message.ts";
import { eventually } from "../../support/eventually.ts";
import type { Session } from "../messages/session.ts";
import { chatOf, must, openWorld, shown, type World } from "../messages/world.ts";
import { run, runOk, refusal } from "./run-command.ts";

const TIMEOUT_MS = 60_000;
const refOf = ({ chat_id, message_id, from_me, sender }: NetworkMessage): MessageRef => ({
  chat_id,
  message_id,
  from_me,
  participant: chat_id.endsWith("@g.us") ? sender : null,
});

describe.each(["pn", "lid"] as const)("messages on a network that addresses by %s", (addressing) => {
  let world: World;
  let anna: SimulatedPhone, carla: SimulatedPhone;
  let session: Session;
  beforeAll(async () => {
    world = await openWorld({ addressing, groupAddressing: addressing });
    ({ phone: anna, session } = await world.pair("Anna"));
    carla = await world.newPhone("Carla");
  });
  afterAll(() => world.close());

  const atAnna = (id: string) => anna.inbox().find(({ message_id }) => message_id === id);

  async function receivedIn(chat: string, text: string): Promise<NetworkMessage> {
    const { message_id } = must(await carla.sendText(chat, text));
    await shown(anna, (record) => record.message_id === message_id);
    return session.received(message_id);
  }

  /** A message from Carla in a direct chat and in a group, and one of our own. */
  async function messages(): Promise<NetworkMessage[]> {
    const group = must(await carla.act((phone) => createGroup(phone, "Friends", [anna.pn]))).group_id;
    const own = await session.sendAndSettle(chatOf(carla), { kind: "text", text: "mine", preview: null });
    if (own.outcome.kind !== "acknowledged") throw new Error("not sent");
    await shown(anna, ({ message_id }) => message_id === own.id);
    return [await receivedIn(anna.pn, "hers"), await receivedIn(group, "hers, to all"), own.outcome.message];
  }

  it("are starred and unstarred, on the phone too", async () => {
    for (const message of await messages()) {
      for (const star of [true, false]) {
        await runOk(session, "messages.star", { ref: refOf(message), star });
        const event = session.eventsOf("message.starred").at(-1);
        expect(event).toMatchObject({ chat_id: message.chat_id, message_id: message.message_id, starred: star });
        await eventually(`starred ${star}: ${message.text}`, TIMEOUT_MS, () => atAnna(message.message_id)?.starred === star);
      }
    }
  });

  it("are deleted for the owner alone", async () => {
    for (const message of await messages()) {
      await runOk(session, "messages.delete_for_me", { ref: refOf(message), timestamp: message.timestamp });
      expect(session.eventsOf("message.removed").at(-1)).toMatchObject({ chat_id: message.chat_id, message_id: message.message_id });
      await eventually(`gone: ${message.text}`, TIMEOUT_MS, () => atAnna(message.message_id) === undefined);
      expect(carla.inbox().find(({ message_id }) => message_id === message.message_id)?.deleted).toBe(false);
    }
  });

  it("are reported as removed when the owner deletes them on the phone", async () => {
    const message = await receivedIn(anna.pn, "to go");
    const { chat_id, message_id: id, timestamp } = message;
    const key = { remoteJid: `${carla.pn}@s.whatsapp.net`, id, fromMe: false };
    await anna.modify({ deleteForMe: { deleteMedia: false, key, timestamp } }, chat_id);
    const removed = await session.waitForEvent("message.removed", (event) => event.message_id === id);
    expect(removed.chat_id).toBe(chat_id);
  });

  it("are cleared from a whole chat, for the owner alone", async () => {
    const message = await receivedIn(anna.pn, "the last one");
    await runOk(session, "messages.clear", {
      chat_id: chatOf(carla),
      range: [{ ref: refOf(message), timestamp: message.timestamp }],
    });
    expect(session.eventsOf("chat.cleared").at(-1)).toEqual({ type: "chat.cleared", chat_id: chatOf(carla) });
    await eventually("an empty chat", TIMEOUT_MS, () => anna.inbox(chatOf(carla)).length === 0);
    expect(carla.inbox(chatOf(anna)).length).toBeGreaterThan(0);
  });
});

describe("a file that is fetched again", () => {
  let world: World;
  let anna: SimulatedPhone, carla: SimulatedPhone;
  let session: Session;
  beforeAll(async () => {
    world = await openWorld();
    ({ phone: anna, session } = await world.pair("Anna"));
    carla = await world.newPhone("Carla");
  });
  afterAll(() => world.close());

  const bytes = randomBytes(20_000);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  async function received(): Promise<NetworkMessage> {
    const file = { bytes, mimetype: "application/pdf", filename: "bill.pdf" };
    const { message_id } = must(await carla.send(anna.pn, { type: "document", file, caption: null }));
    return session.received(message_id);
  }

  it("is downloaded and stored, own or not", async () => {
    const media = session.media.keep(bytes, "application/pdf", "bill.pdf");
    const own = await session.sendAndSettle(chatOf(carla), { kind: "document", media, caption: null });
    if (own.outcome.kind !== "acknowledged") throw new Error("not sent");
    for (const { raw } of [await received(), own.outcome.message]) {
      const stored = await runOk(session, "messages.fetch_media", { raw: raw ?? "" });
      expect(stored).toMatchObject({ mimetype: "application/pdf", filename: "bill.pdf", size: bytes.length, sha256 });
      expect(session.media.sha256(stored.token)).toBe(sha256);
    }
  });

  it("is uploaded again by the phone when the network no longer has it", async () => {
    const { message_id, raw } = await received();
    expect(await anna.act((parts) => expireMedia(parts, message_id))).toBe(true);
    const stored = await runOk(session, "messages.fetch_media", { raw: raw ?? "" });
    expect(session.media.sha256(stored.token)).toBe(sha256);
  });

  it("has expired when neither network nor phone has it", async () => {
    const { message_id, raw } = await received();
    world.network.blobs.sizeOf = () => undefined;
    await anna.act((parts) => parts.messages.remove(chatOf(carla), message_id));
    expect(await run(session, "messages.fetch_media", { raw: raw ?? "" })).toEqual(refusal({ code: "media_expired" }));
    expect(await run(session, "messages.fetch_media", { raw: "" })).toEqual(refusal({ code: "media_expired" }));
  });
});
