// A stored message's rows and file are deleted with it: by the owner's limit, a deletion, or the end of its chat.
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { mediaKey } from "@gateway/domain/media/media-link.ts";
import type { NetworkMessage, StoredMedia } from "@gateway/protocol/message.ts";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import { DAY_MS, DAY_SECONDS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { storeMedia } from "#root/src/services/media/store.ts";
import { allEnded, OTHER, TestConnection } from "../fakes/connection.ts";
import { ago, ownText, theirText } from "../fakes/messages.ts";

const CHAT = `${OTHER}@c.us`;
const GROUP = "120363000000000001@g.us";
const NO_FACTS = { sha256: null, duration_seconds: null, width: null, height: null };
afterEach(allEnded);

const arrived = (message: NetworkMessage): NetworkEvent => ({
  type: "message.upsert",
  origin: message.from_me ? "own_device" : "live",
  message,
});

async function file({ uuid }: TestConnection): Promise<StoredMedia> {
  const about = { connection: uuid, mimetype: "image/png", filename: null, sizeBytes: 4 };
  const token = await storeMedia(env.MEDIA, { ...about, expiresAt: Date.now() + 7 * DAY_MS }, new Blob(["file"]).stream());
  return { token, mimetype: "image/png", filename: null, size: 4, ...NO_FACTS };
}
const isStored = async ({ token }: StoredMedia) => (await env.MEDIA.head(mediaKey(token ?? ""))) !== null;
const gone = (media: StoredMedia) => vi.waitFor(async () => expect(await isStored(media)).toBe(false));

/** Uses a read that the cache may answer. */
async function idsRead(connection: TestConnection): Promise<string[]> {
  const anything = { before: null, after: null, from_me: null, type: null, reference: null, status: null, q: null };
  const flags = { mutating: false, counted: false, cached: true };
  const answer = await connection.ask("messages.list", { chat_id: CHAT, limit: 50, cursor: null, ...anything }, { flags });
  return answer.ok ? answer.value.items.map(({ message_id }) => message_id) : [answer.code];
}

/** An old and a new message from each side, each with a file, a reaction and a receipt. */
async function conversation() {
  const { connection, session } = await TestConnection.connected();
  const files = { old: await file(connection), ownOld: await file(connection), recent: await file(connection) };
  const old = { type: "image", timestamp: ago(10 * DAY_SECONDS) };
  const recent = { type: "image", timestamp: ago(60), media: files.recent };
  const reacted = (message_id: string): NetworkEvent => ({
    type: "message.reaction",
    chat_id: CHAT,
    message_id,
    from_me: false,
    sender: { phone: OTHER, lid: null },
    reaction: "👍",
    timestamp: ago(30),
  });
  await session.commit([
    arrived(theirText("OLD", "Velha", { ...old, media: files.old })),
    arrived(ownText("OWNOLD", "Minha velha", { ...old, media: files.ownOld })),
    arrived(theirText("NEW", "Nova", recent)),
    reacted("OLD"),
    reacted("NEW"),
  ]);
  const ids = async () =>
    (await connection.sql<{ message_id: string }>("SELECT message_id FROM messages ORDER BY no")).map((row) => row.message_id);
  const keepFor = (days: number | null) => connection.change({ settings: { ...connection.record.settings, message_retention_days: days } });
  return { connection, session, files, ids, keepFor };
}

describe("messages that are older than the owner keeps them", () => {
  it("are deleted with their reactions and files, and no others", async () => {
    const { connection, files, ids, keepFor } = await conversation();
    await keepFor(11);
    await connection.alarm();
    expect(await ids()).toEqual(["OLD", "OWNOLD", "NEW"]);
    await keepFor(9);
    expect(await idsRead(connection)).toEqual(["NEW", "OWNOLD", "OLD"]);
    await connection.alarm();
    expect(await ids()).toEqual(["NEW"]);
    expect(await idsRead(connection)).toEqual(["NEW"]);
    expect(await connection.sql("SELECT DISTINCT message_id FROM reactions")).toEqual([{ message_id: "NEW" }]);
    await connection.alarm();
    await gone(files.old);
    await gone(files.ownOld);
    expect(await isStored(files.recent)).toBe(true);
    expect(await connection.ask("chats.get", { chat_id: CHAT })).toMatchObject({ value: { last_message: { message_id: "NEW" } } });
  });

  it("leave their chat without a last message", async () => {
    const { connection, ids, keepFor } = await conversation();
    await keepFor(1);
    await connection.sql("UPDATE messages SET timestamp = ?", ago(2 * DAY_SECONDS));
    await connection.alarm();
    expect(await ids()).toEqual([]);
    expect(await connection.ask("chats.get", { chat_id: CHAT })).toMatchObject({ value: { last_message: null } });
  });

  it("are kept without a limit", async () => {
    const { connection, ids } = await conversation();
    await connection.sql("UPDATE messages SET timestamp = 1");
    await connection.alarm();
    expect(await ids()).toEqual(["OLD", "OWNOLD", "NEW"]);
  });

  it("take with them what arrived about them later, but not what arrives before its message", async () => {
    const { connection, session, keepFor } = await conversation();
    const who = { phone: OTHER, lid: null };
    const about = (message_id: string, timestamp: number): NetworkEvent[] => [
      { type: "message.reaction", chat_id: CHAT, message_id, from_me: false, sender: who, reaction: "👍", timestamp },
      { type: "poll.vote", chat_id: CHAT, message_id, from_me: false, voter: who, options: ["Sim"], timestamp },
      { type: "message.status", chat_id: GROUP, message_id, status: "read", participant: who, timestamp },
    ];
    await session.commit([...about("EXPIRED", ago(9 * DAY_SECONDS)), ...about("COMING", ago(60))]);
    await keepFor(8);
    await connection.alarm();
    for (const table of ["reactions", "votes", "receipts"])
      expect(await connection.sql(`SELECT message_id FROM ${table} WHERE message_id <> 'NEW'`)).toEqual([{ message_id: "COMING" }]);
  });

  it("are deleted in slices, until none is left", async () => {
    const { connection, ids, keepFor } = await conversation();
    await connection.sql(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
       INSERT INTO messages (message_id, chat_id, from_me, timestamp, type, text, announced) SELECT 'M' || i, '${CHAT}', 0, i, 'text', 'x', 1 FROM n`,
    );
    await keepFor(5);
    for (let slices = 0; slices < 10 && (await ids()).length > 1; slices += 1) await connection.alarm();
    expect(await ids()).toEqual(["NEW"]);
  });
});

describe("the file of a message", () => {
  it("is deleted when the message is deleted for everyone", async () => {
    const { connection, session, files } = await conversation();
    const deleted = { type: "message.deleted", chat_id: CHAT, message_id: "NEW", from_me: false, timestamp: ago(1) } as const;
    await session.commit([{ ...deleted, author: null, by: { phone: OTHER, lid: null } }]);
    await connection.alarm();
    await gone(files.recent);
    expect(await isStored(files.old)).toBe(true);
    await vi.waitFor(async () => expect(await connection.sql("SELECT * FROM removed_files")).toEqual([]));
  });

  it("is deleted with its chat", async () => {
    const { connection, session, files } = await conversation();
    await session.commit([{ type: "chat.deleted", chat_id: CHAT }]);
    await connection.alarm();
    for (const each of Object.values(files)) await gone(each);
    expect(await connection.sql("SELECT * FROM messages")).toEqual([]);
  });

  describe("after the message is gone", () => {
    const byThem = { author: null, by: { phone: OTHER, lid: null } };
    const deleted = { type: "message.deleted", chat_id: CHAT, message_id: "NEW", from_me: false, timestamp: ago(1), ...byThem } as const;
    const goneBy: Record<string, NetworkEvent> = {
      "deleted for everyone": deleted,
      "deleted for me": { type: "message.removed", chat_id: CHAT, message_id: "NEW" },
      "in a chat that was cleared": { type: "chat.cleared", chat_id: CHAT },
    };

    it.each(Object.entries(goneBy))("is deleted at once when it arrives: %s", async (_how, removal) => {
      const { connection, session } = await conversation();
      const [late, again] = [await file(connection), await file(connection)];
      await session.commit([
        removal,
        { type: "message.media", chat_id: CHAT, message_id: "NEW", media: late },
        arrived(theirText("NEW", "Nova", { type: "image", timestamp: ago(60), media: again })),
      ]);
      await connection.alarm();
      await gone(late);
      await gone(again);
      expect(await connection.sql("SELECT * FROM out_of_order")).toEqual([]);
    });

    it("is deleted at once if it was being fetched again", async () => {
      const { connection, session, files } = await conversation();
      await connection.sql("UPDATE messages SET raw = 'cmF3'");
      await env.MEDIA.delete(mediaKey(files.recent.token ?? ""));
      const reading = connection.ask("messages.media", { chat_id: CHAT, message_id: "NEW" });
      const { id } = await session.frames.next("command", ({ name }) => name === "messages.fetch_media");
      await session.commit([deleted]);
      const late = await file(connection);
      session.say({ type: "result", id, ok: true, value: JSON.stringify(late) });
      expect(await reading).toMatchObject({ code: "message_not_found" });
      await connection.alarm();
      await gone(late);
    });
  });

  it("stays if it arrives before its message, and is deleted if the message never comes", async () => {
    const { connection, session } = await conversation();
    const [wanted, lost, replaced] = [await file(connection), await file(connection), await file(connection)];
    const media = (message_id: string, stored: StoredMedia) =>
      ({ type: "message.media", chat_id: CHAT, message_id, media: stored }) as const;
    await session.commit([media("LATER", wanted), media("NEVER", replaced), media("NEVER", lost)]);
    await session.commit([arrived(theirText("LATER", "Depois", { type: "image", timestamp: ago(5), media: { ...wanted, token: null } }))]);
    await connection.alarm();
    await gone(replaced);
    expect([await isStored(wanted), await isStored(lost)]).toEqual([true, true]);
    await connection.sql("UPDATE out_of_order SET noted_at = 0");
    await connection.crash();
    // Waking does not set an alarm, but any call does.
    await connection.ask("instance.get", {});
    await connection.alarm();
    await gone(lost);
    expect(await connection.sql("SELECT * FROM out_of_order")).toEqual([]);
    expect(await isStored(wanted)).toBe(true);
    expect(await connection.ask("messages.media", { chat_id: CHAT, message_id: "LATER" })).toMatchObject({
      value: { token: wanted.token },
    });
  });

  it("is deleted at once if it arrives a second time as a new copy", async () => {
    const { connection, session, files } = await conversation();
    const [first, second, copy] = [await file(connection), await file(connection), await file(connection)];
    await session.commit([arrived(theirText("SLOW", "Devagar", { type: "image", timestamp: ago(5), media: { ...first, token: null } }))]);
    const media = (stored: StoredMedia) =>
      ({ key: "media:SLOW", event: { type: "message.media", chat_id: CHAT, message_id: "SLOW", media: stored } }) as const;
    await session.commit([
      media(first),
      media(second),
      arrived(theirText("NEW", "Nova", { type: "image", timestamp: ago(60), media: copy })),
    ]);
    // Commits again, this time with a file that is in use and so must not be deleted as a duplicate.
    await session.commit([media(first), arrived(theirText("NEW", "Nova", { type: "image", timestamp: ago(60), media: files.recent }))]);
    await connection.alarm();
    for (const each of [second, copy]) await gone(each);
    expect([await isStored(first), await isStored(files.recent)]).toEqual([true, true]);
  });

  it("is deleted a minute later if R2 does not delete it, which is logged", async () => {
    const { connection, session, files } = await conversation();
    const lines = vi.spyOn(console, "log");
    const inObject = (media: R2Bucket) =>
      runInDurableObject(connection.stub, (object) => {
        (object as unknown as { env: { MEDIA: R2Bucket } }).env.MEDIA = media;
      });
    const bucket = env.MEDIA;
    // All test files in this isolate share the object's bindings.
    onTestFinished(() => inObject(bucket));
    await inObject({ delete: async () => Promise.reject(new Error("R2 is away")) } as unknown as R2Bucket);
    await session.commit([{ type: "chat.deleted", chat_id: CHAT }]);
    await connection.alarm();
    await vi.waitFor(() => {
      const line = lines.mock.calls.flat().find((each) => String(each).includes("media.not_removed"));
      expect(JSON.parse(String(line))).toMatchObject({ connection: connection.uuid, files: 3, message: "R2 is away" });
    });
    await inObject(bucket);
    vi.useFakeTimers({ now: Date.now() + MINUTE_MS, toFake: ["Date"] });
    await connection.alarm();
    vi.useRealTimers();
    for (const each of Object.values(files)) await gone(each);
  });

  it("is deleted after a crash that followed the message's deletion", async () => {
    const { connection, files } = await conversation();
    await connection.sql("DELETE FROM messages WHERE message_id = 'OLD'");
    await connection.crash();
    expect(await connection.alarm()).toBe(true);
    await gone(files.old);
  });
});
