// Files in messages and in sends.
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import type { Env } from "#root/src/env.ts";
import type { StoreFiles } from "@gateway/protocol/connection.ts";
import { type MediaRef, pendingMedia } from "@gateway/protocol/content.ts";
import type { StoredMedia } from "@gateway/protocol/message.ts";
import type { OperationInput } from "@gateway/protocol/operations.ts";
import { storeMedia } from "#root/src/services/media/store.ts";
import { allEnded, OTHER, TestConnection } from "../fakes/connection.ts";
import { acknowledged, taken, theirs } from "../fakes/messages.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import { CRASH } from "../support/crash.ts";

afterEach(allEnded);

const target = (message_id: string) => ({ chat_id: `${OTHER}@c.us`, message_id });

describe("the file of a message", () => {
  const bucket = (env as Env).MEDIA;
  const described = (token: string | null): StoredMedia => ({
    token,
    mimetype: "image/png",
    filename: null,
    size: 3,
    sha256: null,
    duration_seconds: null,
    width: null,
    height: null,
  });
  async function keep(expiresAt: number): Promise<string> {
    const facts = { connection: crypto.randomUUID(), mimetype: "image/png", filename: null, sizeBytes: 3, expiresAt };
    return (await storeMedia(bucket, facts, new Response("png").body!)) ?? "";
  }

  it("is answered from storage", async () => {
    const { connection, session } = await TestConnection.connected();
    const expires_at = Date.now() + 60_000;
    const token = await keep(expires_at);
    await session.commit([theirs("M", { type: "image", media: described(token) }), theirs("T")]);
    expect(await connection.ask("messages.media", target("M"))).toEqual({
      ok: true,
      value: { token, mimetype: "image/png", filename: null, size: 3, expires_at },
    });
    expect(session.commands).toEqual([]);
    expect(await connection.ask("messages.media", target("T"))).toMatchObject({ code: "message_not_found", details: { type: "text" } });
  });

  it("is fetched again when it is no longer stored, and has expired when the network does not have it", async () => {
    const { connection, session } = await TestConnection.connected();
    const gone = await keep(Date.now() - 1);
    await session.commit([
      theirs("M", { type: "image", media: described(gone), raw: "cmF3" }),
      theirs("N", { type: "image", media: described(null), raw: null }),
    ]);
    const reading = connection.ask("messages.media", target("M"));
    const token = await keep(Date.now() + 60_000);
    expect(await session.answer("messages.fetch_media", described(token))).toEqual({ raw: "cmF3" });
    expect(await reading).toMatchObject({ ok: true, value: { token } });
    expect(await connection.ask("messages.media", target("M"))).toMatchObject({ ok: true, value: { token } });
    expect(await connection.ask("messages.media", target("N"))).toMatchObject({ code: "media_expired" });
    await session.commit([theirs("L", { type: "image", media: described(null), raw: "bG9zdA==" })]);
    const lost = connection.ask("messages.media", target("L"));
    const command = await session.frames.next("command");
    session.say({ type: "failed", id: command.id, failure: { code: "media_expired" } });
    expect(await lost).toMatchObject({ code: "media_expired" });
  });
});

describe("a send with a file", () => {
  const stored: MediaRef = { token: "t".repeat(36), mimetype: "image/png", filename: null, size: 9 };
  const image = (change: Partial<OperationInput<"messages.send">> = {}): OperationInput<"messages.send"> => ({
    to: OTHER,
    chat_id: null,
    content: { kind: "image", media: pendingMedia(0), caption: null, view_once: false },
    quoted_message_id: null,
    mentions: [],
    mention_all: false,
    reference: null,
    typing_ms: 0,
    message_id: null,
    source: "api",
    ...change,
  });
  const mutating = { mutating: true, counted: false, cached: false };
  /** The worker's file callback with a call counter. */
  const storing = () => {
    const files = { asked: 0, retentionMs: 0 };
    const store: StoreFiles = async (retentionMs) => {
      files.asked += 1;
      files.retentionMs = retentionMs;
      return { ok: true, value: [stored] };
    };
    return Object.assign(files, { store });
  };

  it("stores it for as long as the owner set", async () => {
    const { connection, session } = await TestConnection.connected();
    const files = storing();
    await connection.change({ settings: { ...connection.record.settings, media_retention_days: 3 } });
    const id = "3EB0000000000000000001";
    const sending = connection.ask("messages.send", image({ message_id: id }), {}, files.store);
    await session.answer("send");
    await session.settle(id, acknowledged(id, ""));
    expect([(await sending).ok, files.retentionMs]).toEqual([true, 3 * DAY_MS]);
  });

  it("stores it only when everything else is valid", async () => {
    const { connection, session } = await TestConnection.connected();
    const files = storing();
    expect(await connection.ask("messages.send", image({ quoted_message_id: "NONE" }), {}, files.store)).toMatchObject({
      code: "quoted_message_not_found",
    });
    const rejected = { code: "validation_error" } as const;
    expect(await connection.ask("messages.send", image(), { flags: mutating, rejected }, files.store)).toMatchObject(rejected);
    expect(files.asked).toBe(0);
    const sending = connection.ask("messages.send", image(), { flags: mutating }, files.store);
    const request = await taken(session);
    expect(request.content).toEqual({ kind: "image", media: stored, caption: null, view_once: false });
    expect(await sending).toMatchObject({ ok: true });
    expect(files.asked).toBe(1);
  });

  it("does not store it while the number is not connected", async () => {
    const connection = await TestConnection.create();
    const files = storing();
    expect(await connection.ask("messages.send", image(), { flags: mutating }, files.store)).toMatchObject({
      code: "instance_not_connected",
    });
    expect(files.asked).toBe(0);
  });

  it("stores it once however often it is repeated", async () => {
    const { connection, session } = await TestConnection.connected();
    const files = storing();
    const call = { flags: mutating, idempotencyKey: "once" };
    const sending = [1, 2, 3].map(() => connection.ask("messages.send", image(), call, files.store));
    await taken(session);
    const results = await Promise.all(sending);
    const first = results.find(({ replayed }) => replayed === undefined);
    expect(first).toMatchObject({ ok: true });
    expect(results.filter(({ replayed }) => replayed === true)).toEqual([1, 2].map(() => ({ ...first, replayed: true })));
    await connection.ask("messages.send", image(), call, files.store);
    const chosen = image({ message_id: "ABCDEF0123456789" });
    const again = connection.ask("messages.send", chosen, { flags: mutating }, files.store);
    await taken(session);
    await again;
    await connection.ask("messages.send", chosen, { flags: mutating }, files.store);
    expect(files.asked).toBe(2);
  });

  it.each(["media_unreachable", "media_invalid", "media_too_large", "unavailable"] as const)(
    "is sent by a repeated call after it failed with %s, because nothing had been tried",
    async (code) => {
      const { connection, session } = await TestConnection.connected();
      const call = { flags: mutating, idempotencyKey: "once" };
      const failing: StoreFiles = async () => ({ ok: false, failure: { code } });
      expect(await connection.ask("messages.send", image(), call, failing)).toEqual({ ok: false, code });
      const sending = connection.ask("messages.send", image(), call, storing().store);
      await taken(session);
      const sent = await sending;
      expect([sent.ok, sent.replayed]).toEqual([true, undefined]);
    },
  );

  it("takes only its own repetition's file after a crash interrupted it", async () => {
    const { connection, session } = await TestConnection.connected();
    const call = { flags: mutating, idempotencyKey: "once", fingerprint: "first" };
    const storage = Promise.withResolvers<void>();
    const hanging: StoreFiles = async () => {
      storage.resolve();
      return new Promise(() => undefined);
    };
    const cut = connection.ask("messages.send", image(), call, hanging).catch((error: Error) => error.message);
    await storage.promise;
    await connection.crash();
    expect(await cut).toBe(CRASH);
    const again = await session.redial();
    const other = { ...call, fingerprint: "other" };
    const files = storing();
    const refused = { ok: false, code: "content_differs", replayed: true, mismatch: true };
    for (let n = 0; n < 2; n += 1) expect(await connection.ask("messages.send", image(), other, files.store)).toEqual(refused);
    expect(files.asked).toBe(0);
    const sending = connection.ask("messages.send", image(), call, files.store);
    await taken(again);
    expect(await sending).toMatchObject({ ok: true });
  });

  it("fails with the file's failure, or with `unavailable` if the worker's request has ended", async () => {
    const { connection, session } = await TestConnection.connected();
    const unreachable: StoreFiles = async () => ({ ok: false, failure: { code: "media_unreachable" } });
    const lost: StoreFiles = async () => {
      throw new Error("disconnected: operation canceled");
    };
    expect(await connection.ask("messages.send", image(), { flags: mutating }, unreachable)).toMatchObject({ code: "media_unreachable" });
    expect(await connection.ask("messages.send", image(), { flags: mutating }, lost)).toMatchObject({ code: "unavailable" });
    expect(session.commands).toEqual([]);
    expect(await connection.sql("SELECT * FROM outbox")).toEqual([]);
  });
});
