import { randomBytes } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import type { KeyedEvent } from "@gateway/protocol/events.ts";
import { MAX_ROW_KEY } from "@gateway/protocol/session-socket.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";
import { PlaintextCache } from "#root/session-bridge/networks/baileys/durability/sent-messages.ts";
import { baileysRows } from "#root/session-bridge/networks/baileys/durability/row-serializer.ts";
import { MessageSecrets } from "#root/session-bridge/networks/baileys/memory/message-secrets.ts";
import type { Rows } from "#root/session-bridge/networks/baileys/session/session-context.ts";
import { WriteBehindCache } from "#root/session-bridge/store/write-behind-cache.ts";
import { Deferred, RowCodec } from "#root/session-bridge/store/row-codec.ts";

type Frame = { seq: number; rows: [string, string | null][]; events: KeyedEvent[] };

const codec = new RowCodec(randomBytes(32), baileysRows);

function newCache(announce: () => void = () => undefined): WriteBehindCache {
  return new WriteBehindCache(codec, 0, announce);
}

const read = (frame: string | null): Frame | null => (frame === null ? null : (JSON.parse(frame) as Frame));
const names = (frame: string | null): string[] | undefined => read(frame)?.rows.map(([name]) => name);

function event(title: string): KeyedEvent {
  return { key: title, event: { type: "chat.deleted", chat_id: "5511900000001@c.us" } };
}

describe("the write-behind cache", () => {
  it("reads its own writes before they are stored", () => {
    const store = newCache();
    store.put([["session|a", { chain: 1 }]]);
    expect(store.get("session|a")).toEqual({ chain: 1 });
    expect(store.watermark()).toBeGreaterThan(0);
  });

  it("has one commit in flight and batches the rest", () => {
    const store = newCache();
    store.put([["session|a", { chain: 1 }]]);
    const first = store.nextCommit();
    store.put([["session|a", { chain: 2 }]]);
    store.put([["session|b", { chain: 1 }]]);
    store.emit([event("one")]);
    expect(store.nextCommit()).toBeNull();
    store.confirm(read(first)?.seq ?? 0);
    const second = read(store.nextCommit());
    expect(second).toMatchObject({ seq: 2, events: [{ key: "one" }] });
    expect(second?.rows.map(([name]) => name)).toEqual(["session|a", "session|b"]);
  });

  it("writes unknown senders' texts so that every JSON parser accepts them, within a message's size limit", () => {
    const store = newCache();
    const emoji = "😀".repeat(65_536);
    const texts = ["a\ud800b", "\udc00", "a backslash: \\ud800", "😀", "\0\r\n", "z".repeat(1_000_000), emoji, `${emoji}!`];
    store.emit(texts.map((name): KeyedEvent => ({ key: null, event: { type: "chat.updated", chat_id: "5511900000001@c.us", name } })));
    const written = read(store.nextCommit())?.events.map(({ event }) => ("name" in event ? event.name : null));
    expect(written).toEqual(["a\ufffdb", "\ufffd", "a backslash: \\ud800", "😀", "\0\r\n", "z".repeat(65_536), emoji, emoji]);
  });

  it("drops a row whose name the object would refuse, and commits the rest", () => {
    const store = newCache();
    store.put([
      [`sender-key|${"x".repeat(MAX_ROW_KEY)}`, { chain: 1 }],
      ["session|a", { chain: 1 }],
    ]);
    expect(names(store.nextCommit())).toEqual(["session|a"]);
  });

  it("skips no number if a batch cannot be encoded", () => {
    const store = newCache();
    store.put([["session|a", 1n]]);
    expect(() => store.nextCommit()).toThrow(TypeError);
    store.put([["session|a", { chain: 2 }]]);
    expect(read(store.nextCommit())).toMatchObject({ seq: 1, rows: [["session|a", expect.any(String)]] });
  });

  it("announces the writes of one event-loop turn once", async () => {
    const announce = vi.fn<() => void>();
    const store = newCache(announce);
    for (let at = 0; at < 5; at += 1) store.put([[`session|${at}`, { at }]]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(announce).toHaveBeenCalledOnce();
  });

  it("sends deferrable events with urgent ones, or after a delay by themselves", async () => {
    vi.useFakeTimers();
    try {
      const announce = vi.fn<() => void>();
      const store = newCache(announce);
      const status: KeyedEvent["event"] = {
        type: "message.status",
        chat_id: "5511900000001@c.us",
        message_id: "3EB0AAAAAAAAAAAAAA",
        status: "delivered",
        participant: null,
        timestamp: 1_800_000_000,
      };
      store.put([["journal|1", Buffer.from("a receipt")]], false);
      store.emit([{ key: "one", event: status }]);
      vi.advanceTimersByTime(1);
      expect(announce).not.toHaveBeenCalled();
      store.emit([event("urgent")]);
      vi.advanceTimersByTime(1);
      expect(announce).toHaveBeenCalledOnce();
      const first = read(store.nextCommit());
      expect(first?.events.map(({ key }) => key)).toEqual(["one", "urgent"]);
      store.confirm(first?.seq ?? 0);

      store.emit([{ key: "two", event: status }]);
      vi.advanceTimersByTime(20);
      expect(announce).toHaveBeenCalledTimes(2);
      expect(read(store.nextCommit())?.events.map(({ key }) => key)).toEqual(["two"]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("sends nothing for a row created and deleted before its commit", () => {
    const store = newCache();
    store.put([["journal|1", new Deferred(() => Buffer.from("a stanza"))]]);
    store.emit([event("one")]);
    store.put([["journal|1", null]]);
    expect(read(store.nextCommit())).toMatchObject({ rows: [], events: [{ key: "one" }] });
  });

  it("needs no commit when nothing is left to send, and releases waiting frames", () => {
    const store = newCache();
    const listener = vi.fn<() => void>();
    store.onDurable(listener);
    store.put([["journal|1", Buffer.from("a stanza")]]);
    store.put([["journal|1", null]]);
    expect(store.nextCommit()).toBeNull();
    expect(store.watermark()).toBe(0);
    expect(listener).toHaveBeenCalled();
  });

  it("sends the deletion of a stored row that was replaced and deleted again before the commit", () => {
    const store = newCache();
    store.load([["identity-key|a", codec.seal("identity-key|a", Buffer.from("key"))]]);
    store.put([["identity-key|a", null]]);
    store.put([["identity-key|a", Buffer.from("another")]]);
    store.put([["identity-key|a", null]]);
    expect(read(store.nextCommit())?.rows).toEqual([["identity-key|a", null]]);
  });

  it("sends the deletion of a stored row", () => {
    const store = newCache();
    store.load([["identity-key|a", codec.seal("identity-key|a", Buffer.from("key"))]]);
    store.put([["identity-key|a", Buffer.from("another")]]);
    store.put([["identity-key|a", null]]);
    expect(read(store.nextCommit())?.rows).toEqual([["identity-key|a", null]]);
    expect(store.get("identity-key|a")).toBeUndefined();
  });

  it("writes no more rows once all are deleted, and continues with events", () => {
    const store = newCache();
    store.load([["creds|me", codec.seal("creds|me", { id: 1 })]]);
    store.deleteAll();
    store.put([["creds|me", { id: 2 }]]);
    store.put([["sent|late", { id: 3 }]]);
    store.emit([event("logged out")]);
    expect(read(store.nextCommit())).toMatchObject({ rows: [["creds|me", null]], events: [{ key: "logged out" }] });
    expect(store.names()).toEqual([]);
  });

  it("does not write an unchanged session again, when Baileys commits what was written ahead", () => {
    const store = newCache();
    const session = { chain: 1 };
    store.put([["session|a", session]]);
    store.nextCommit();
    store.put([["session|a", session]]);
    store.confirm(1);
    expect(store.nextCommit()).toBeNull();
  });

  it("keeps writes of one call in one commit, however much is pending", () => {
    const store = newCache();
    const big = Buffer.alloc(300_000);
    store.put([
      ["sent|1", big],
      ["session|a", { chain: 1 }],
    ]);
    store.put([
      ["sent|2", big],
      ["session|a", { chain: 2 }],
    ]);
    store.put([
      ["sent|3", big],
      ["session|a", { chain: 3 }],
    ]);
    const first = store.nextCommit();
    expect(names(first)).toEqual(["sent|1", "sent|2", "session|a"]);
    store.confirm(1);
    expect(names(store.nextCommit())).toEqual(["sent|3", "session|a"]);
  });

  it("resends an unconfirmed commit after a reconnect, byte for byte, but not a stored one", () => {
    const store = newCache();
    store.put([["session|a", { chain: 1 }]]);
    const first = store.nextCommit();
    expect(store.resume(0)).toBe(first);
    store.put([["session|a", { chain: 2 }]]);
    expect(read(store.resume(1))).toMatchObject({ seq: 2 });
  });

  it("finds a cold row in an unconfirmed commit, without caching it", () => {
    const store = newCache();
    store.put([["sent|1", Buffer.from("bytes")]]);
    expect(store.unconfirmed("sent|1")).toEqual(Buffer.from("bytes"));
    store.nextCommit();
    expect(store.unconfirmed("sent|1")).toEqual(Buffer.from("bytes"));
    store.confirm(1);
    expect(store.unconfirmed("sent|1")).toBeUndefined();
    expect(store.get("sent|1")).toBeUndefined();
  });

  it("knows the age of the oldest pending write, whatever happens to the clock", () => {
    vi.useFakeTimers({ toFake: ["Date", "performance"] });
    const store = newCache();
    expect(store.waitingMs).toBeNull();
    store.put([["session|a", { chain: 1 }]]);
    store.nextCommit();
    vi.advanceTimersByTime(3_000);
    vi.setSystemTime(Date.now() + HOUR_MS);
    expect(store.waitingMs).toBe(3_000);
    store.confirm(1);
    expect(store.waitingMs).toBeNull();
    vi.useRealTimers();
  });
});

describe("a row at rest", () => {
  it.each([
    ["bytes", "plain|a", Buffer.from("plaintext")],
    ["a text", "lid-mapping|a", "5511900000001"],
    ["a session", "session|a", { version: "v1", _sessions: { key: { chain: "AAAA" } } }],
    ["a value with bytes in it", "tctoken|a", { token: Buffer.from("token"), timestamp: "1" }],
    ["a key pair", "pre-key|1", { public: randomBytes(32), private: randomBytes(32) }],
    [
      "a long value",
      "app-state-sync-version|regular",
      {
        version: 3,
        hash: randomBytes(128),
        indexValueMap: Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`i${at}`, { valueMac: randomBytes(32) }])),
      },
    ],
  ])("is restored unchanged: %s", (_what, name, value) => {
    expect(codec.open(name, codec.seal(name, value))).toEqual(value);
  });

  it("reveals nothing of its content, and differs each time", () => {
    const [one, two] = [codec.seal("plain|a", Buffer.from("secret")), codec.seal("plain|a", Buffer.from("secret"))];
    expect(one).not.toBe(two);
    expect(Buffer.from(one, "base64").includes("secret")).toBe(false);
  });

  it("cannot be decrypted under another name or key", () => {
    const sealed = codec.seal("session|a", { chain: 1 });
    expect(() => codec.open("session|b", sealed)).toThrow("authenticate");
    expect(() => new RowCodec(randomBytes(32), baileysRows).open("session|a", sealed)).toThrow("authenticate");
  });
});

describe("long-lived data", () => {
  /** A small buffer is a slice of Node's 64 KB pool and would keep the whole pool in memory. */
  const small = (): Buffer => Buffer.from("a few bytes, of the pool");

  it("keeps no larger buffer alive, for a row that was written or read back", () => {
    const store = newCache();
    store.put([
      ["sender-key|a", small()],
      ["tctoken|a", { token: small(), timestamp: "1" }],
    ]);
    const reader = newCache();
    reader.load((read(store.nextCommit())?.rows ?? []).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])));
    for (const cache of [store, reader]) {
      const kept = cache.get("sender-key|a") as Buffer;
      expect(kept).toEqual(small());
      expect(kept.buffer.byteLength).toBe(kept.length);
      const { token } = cache.get("tctoken|a") as { token: Buffer };
      expect(token).toEqual(small());
      expect(token.buffer.byteLength).toBe(token.length);
    }
  });

  it("is not committed again when its bytes are the same", () => {
    const store = newCache();
    const value = small();
    store.put([["sender-key|a", value]]);
    store.confirm(read(store.nextCommit())?.seq ?? 0);
    store.put([["sender-key|a", value]]);
    expect(store.nextCommit()).toBeNull();
  });

  it("keeps no larger buffer alive, for plaintexts and message secrets", async () => {
    const rows: Rows = { put: () => undefined, get: () => undefined, keysOf: () => [], fetchCold: async () => new Map() };
    const plaintexts = new PlaintextCache(rows);
    plaintexts.add("id", small());
    expect(plaintexts.get("id")?.buffer.byteLength).toBe(small().length);
    const secrets = new MessageSecrets();
    const secret = Buffer.from("a secret of thirty-two bytes, so");
    secrets.store(rows, { chatId: "5511900000001@c.us", id: "A", type: "text", timestamp: 1, raw: {} }, 1_000, secret);
    expect((await secrets.find(rows, "5511900000001@c.us", "A"))?.buffer.byteLength).toBe(32);
  });
});
