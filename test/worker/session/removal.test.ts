// Removing a connection deletes its data from every store, immediately or, after a crash, by later retries.
import { afterEach, describe, expect, it, vi } from "vitest";
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { mediaDayPrefix, mediaKey, mediaPrefixOf } from "@gateway/domain/media/media-link.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import { removeConnection } from "#root/src/services/connections/remove.ts";
import { removeMediaOf } from "#root/src/services/media/purge.ts";
import { storeMedia } from "#root/src/services/media/store.ts";
import type { Env } from "#root/src/env.ts";
import { bridgeHeaders, pool } from "../fakes/bridge.ts";
import { allEnded, TestConnection } from "../fakes/connection.ts";
import { theirText } from "../fakes/messages.ts";
import { holder, instanceOf } from "../support/accounts.ts";
import { type EnglishError, gateway } from "../support/gateway.ts";

const ask = gateway();
const bindings = env as unknown as Env;

afterEach(allEnded);

/** Stores a file that expires after this many days, and returns its token. */
async function file({ uuid }: TestConnection, days = 7): Promise<string> {
  const bytes = new TextEncoder().encode("bytes of a file");
  const about = { connection: uuid, mimetype: "image/png", filename: "name.png", sizeBytes: bytes.length };
  const token = await storeMedia(env.MEDIA, { ...about, expiresAt: Date.now() + days * DAY_MS }, new Blob([bytes]).stream());
  if (token === null) throw new Error("not stored");
  return token;
}
const PENDING_FILE = { token: "pending:0", mimetype: "", filename: null, size: 0 };
const link = (token: string) => ask(`/api/midia/${token}.png`);
const remove = ({ record }: TestConnection) => removeConnection(bindings, record.id, record.uuid, Date.now());
const rowOf = ({ record }: TestConnection) =>
  env.DB.prepare("SELECT name, removed_at FROM connection WHERE id = ?").bind(record.id).first();
const filesLeft = async (tokens: readonly string[]) =>
  (await Promise.all(tokens.map(async (token) => ((await env.MEDIA.head(mediaKey(token))) === null ? null : token)))).filter(
    (token) => token !== null,
  );

/** Fires the alarm; the wait for a bridge times out. */
async function alarmWithoutBridge(connection: TestConnection): Promise<void> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  expect(await connection.alarm()).toBe(true);
  await connection.wait(5_000);
  vi.useRealTimers();
}

describe("a removed connection", () => {
  it("leaves no file, no row and no storage, and other connections as they were", async () => {
    const [connection, other] = [await TestConnection.create(), await TestConnection.create()];
    const tokens = [await file(connection, 1), await file(connection, 7), await file(connection, 30), await file(connection, -3)];
    const kept = await file(other);
    expect((await link(tokens[1] ?? "")).status).toBe(200);
    await remove(connection);
    expect(await filesLeft(tokens)).toEqual([]);
    expect(await rowOf(connection)).toBeNull();
    expect(await connection.sql("SELECT * FROM identity")).toEqual([]);
    expect(await connection.sql("SELECT * FROM removal")).toEqual([]);
    expect((await link(kept)).status).toBe(200);
  });

  it("leaves no file of a send that would have waited for most of a year", async () => {
    const connection = await TestConnection.create();
    let token = "";
    const content = { kind: "image" as const, media: PENDING_FILE, caption: null, view_once: false };
    const delivery = { at: Math.ceil(Date.now() / 1_000) * 1_000 + 300 * DAY_MS, until: null };
    const sent = await connection.send("", { content, delivery }, {}, async (retentionMs: number) => {
      token = await file(connection, retentionMs / DAY_MS);
      return { ok: true as const, value: [{ ...PENDING_FILE, token, mimetype: "image/png", size: 15 }] };
    });
    expect(sent).toMatchObject({ ok: true, value: { type: "image" } });
    expect(await filesLeft([token])).toEqual([token]);
    const { message_id } = sent.ok ? sent.value : { message_id: "" };
    // The file keeps its expiry day, although the message is now sent earlier.
    const soon = Math.ceil(Date.now() / 1_000) * 1_000 + DAY_MS;
    expect(await connection.ask("waiting.change", { message_id, at: soon })).toMatchObject({ ok: true });
    await remove(connection);
    expect(await filesLeft([token])).toEqual([]);
  });

  it("takes more files along than one list of R2 holds", async () => {
    const connection = await TestConnection.create();
    const tokens = [await file(connection), await file(connection), await file(connection), await file(connection, 8)];
    expect(await removeMediaOf(env.MEDIA, connection.uuid, 2)).toBe(4);
    expect(await filesLeft(tokens)).toEqual([]);
  });

  it("answers its links with 404 before its files are gone, and calls with its keys with 401", async () => {
    const { connection, session } = await TestConnection.connected();
    const token = await file(connection);
    await connection.ask("keys.create", { name: "Site", prefix: "svc_1", hash: "issued" });
    const byKey = () => connection.ask("instance.get", {}, { caller: { kind: "connection_key", hash: "issued" } });
    expect(await byKey()).toMatchObject({ ok: true });
    session.stubborn = true;
    const removed = remove(connection);
    expect(await session.frames.next("stop")).toEqual({ type: "stop", logout: true });
    expect(await env.MEDIA.head(mediaKey(token))).not.toBeNull();
    expect((await link(token)).status).toBe(404);
    expect(await byKey()).toMatchObject({ ok: false, code: "unauthorized" });
    session.drop();
    await removed;
    expect(await filesLeft([token])).toEqual([]);
  });

  it("is removed after a crash in the middle by its alarm alone", async () => {
    const { connection, session } = await TestConnection.connected();
    const token = await file(connection);
    session.stubborn = true;
    const removed = remove(connection).catch(() => "cut off");
    await session.frames.next("stop");
    await connection.crash();
    expect(await removed).toBe("cut off");
    expect([await filesLeft([token]), await rowOf(connection)]).toMatchObject([[token], { name: "" }]);
    await alarmWithoutBridge(connection);
    await vi.waitFor(async () => expect(await rowOf(connection)).toBeNull());
    expect(await filesLeft([token])).toEqual([]);
    await vi.waitFor(async () => expect(await connection.sql("SELECT * FROM removal")).toEqual([]));
  });

  it("unlinks its device also when the object crashes before the bridge has heard of it", async () => {
    const { connection, session } = await TestConnection.connected();
    session.stubborn = true;
    const removed = remove(connection).catch(() => "cut off");
    await session.frames.next("stop");
    await connection.crash();
    expect(await removed).toBe("cut off");
    const again = await session.redial();
    // The stop comes before the welcome, whose settings are outdated by now.
    expect(again.frames.types.slice(0, 2)).toEqual(["stop", "welcome"]);
    expect(await Promise.race([again.frames.next("stop"), again.frames.closed])).toEqual({ type: "stop", logout: true });
    await alarmWithoutBridge(connection);
    await vi.waitFor(async () => expect(await rowOf(connection)).toBeNull());
    // A removed connection is no longer unlinked.
    const late = await again.redial();
    expect(await late.frames.closed).toMatchObject({ reason: "fenced" });
  });

  it.each(["goes on", "begins"])(
    "unlinks its device also when the removal %s after a crash, before the bridge has dialled again",
    async (how) => {
      const { connection, session } = await TestConnection.connected();
      session.stubborn = true;
      if (how === "goes on") {
        void remove(connection).catch(() => "cut off");
        await session.frames.next("stop");
      }
      await connection.crash();
      const removed = how === "goes on" ? connection.stub.remove() : remove(connection);
      await vi.waitFor(async () => expect(await connection.sql("SELECT * FROM removal")).toMatchObject([{ unlinked_at: null }]));
      const again = await session.redial();
      expect(await Promise.race([again.frames.next("stop"), again.frames.closed])).toEqual({ type: "stop", logout: true });
      await removed;
      await vi.waitFor(async () => expect(await rowOf(connection)).toBeNull());
    },
  );

  it("delivers no webhook after a crash in the middle", async () => {
    const { connection, session } = await TestConnection.connected();
    const refusing = vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response(null, { status: 503 }));
    await connection.ask("webhook.put", { url: "https://hooks.example.com/none", events: null });
    await session.commit([{ type: "message.upsert", origin: "live", message: theirText("M1", "one") }]);
    await vi.waitFor(() => expect(refusing).toHaveBeenCalled());
    session.stubborn = true;
    const removed = remove(connection).catch(() => "cut off");
    await session.frames.next("stop");
    await connection.crash();
    await removed;
    refusing.mockClear();
    const again = await session.redial(true);
    await again.commit([{ type: "message.upsert", origin: "live", message: theirText("M2", "two") }]);
    // A delivery would start in the invocation that stores the commit.
    await connection.sql("SELECT 1 AS one");
    expect(refusing).not.toHaveBeenCalled();
    refusing.mockRestore();
    again.drop();
    await alarmWithoutBridge(connection);
    await vi.waitFor(async () => expect(await rowOf(connection)).toBeNull());
  });

  it("is tried again every ten seconds while R2 fails, whatever else would be due", async () => {
    // A day ahead, so that the alarm does not fire on its own.
    vi.useFakeTimers({ now: Date.now() + DAY_MS, toFake: ["Date"] });
    const { connection, session } = await TestConnection.connected();
    // The connection's deliveries become due during the removal.
    const refusing = vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response(null, { status: 503 }));
    await connection.ask("webhook.put", { url: "https://hooks.example.com/none", events: null });
    await session.commit([{ type: "message.upsert", origin: "live", message: theirText("M1", "one") }]);
    let tries = 0;
    await runInDurableObject(connection.stub, (object) => {
      const list = async () => {
        tries += 1;
        throw new Error("R2 is away");
      };
      const held = object as unknown as { env: Env };
      held.env = { ...held.env, MEDIA: { list } as unknown as R2Bucket };
    });
    await remove(connection);
    expect(tries).toBe(1);
    for (let rung = 1; rung <= 2; rung += 1) {
      await connection.alarm();
      await vi.waitFor(() => expect(tries).toBe(1 + rung));
      const nextAt = await runInDurableObject(connection.stub, (_object, { storage }) => storage.getAlarm());
      expect((nextAt ?? 0) - Date.now()).toBe(10_000);
      vi.setSystemTime(Date.now() + 10_000);
    }
    refusing.mockRestore();
    await runInDurableObject(connection.stub, (object) => {
      (object as unknown as { env: Env }).env = bindings;
    });
    await connection.alarm();
    await vi.waitFor(async () => expect(await rowOf(connection)).toBeNull());
  });

  it("connects no more by a call that was let in before the removal", async () => {
    const { call, key } = await holder();
    const { id } = await instanceOf(call);
    const [reading, bytes] = [Promise.withResolvers<void>(), Promise.withResolvers<Uint8Array>()];
    const body = new ReadableStream({
      type: "bytes",
      pull: async (controller) => {
        reading.resolve();
        controller.enqueue(await bytes.promise);
        controller.close();
      },
    });
    const headers = { "x-api-key": key, "content-type": "application/json" };
    const connecting = ask(`/api/instances/${id}/connect`, { method: "POST", headers, body });
    await reading.promise;
    expect((await call("DELETE", `/instances/${id}`)).status).toBe(200);
    bytes.resolve(new TextEncoder().encode("{}"));
    const answer = await connecting;
    expect(answer.status).toBe(404);
    expect(((await answer.json()) as EnglishError).error.code).toBe("instance_not_found");
    const placed = await runInDurableObject(pool(), (_object, { storage }) =>
      storage.sql.exec("SELECT * FROM placement WHERE connection = ?", id).toArray(),
    );
    expect(placed).toEqual([]);
  });

  it("stores nothing of a change that was under way", async () => {
    const connection = await TestConnection.create();
    await remove(connection);
    await connection.stub.configure(connection.record);
    const endpoint = { url: "https://hooks.example.com/late", events: [], secret: null, headers: {} };
    const more = { id: crypto.randomUUID(), retry_count: 1, timeout_ms: 1_000, is_active: true };
    await connection.stub.accountEndpointsChanged([{ ...endpoint, ...more }], 1);
    expect(await connection.sql("SELECT * FROM identity")).toEqual([]);
    expect(await connection.sql("SELECT * FROM endpoint")).toEqual([]);
  });

  it("keeps no file that arrives while it is being removed", async () => {
    const { connection, session } = await TestConnection.connected();
    await env.DB.prepare("UPDATE connection SET removed_at = 1 WHERE id = ?").bind(connection.record.id).run();
    const answer = await ask(`/internal/media/${connection.uuid}`, {
      method: "PUT",
      headers: { ...bridgeHeaders(session.bridge), "content-length": "1" },
      body: "x",
    });
    expect(answer.status).toBe(404);
    expect((await env.MEDIA.list({ prefix: mediaPrefixOf(connection.uuid, mediaDayPrefix(Date.now() + 7 * DAY_MS)) })).objects).toEqual([]);
  });
});
