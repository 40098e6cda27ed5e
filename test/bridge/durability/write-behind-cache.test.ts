import { randomBytes } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import type { KeyedEvent } from "../../../src/protocol/events.ts";
import { baileysRows } from "../../../session-bridge/networks/baileys/durability/row-serializer.ts";
import { WriteBehindCache } from "../../../session-bridge/store/write-behind-cache.ts";
import { Deferred, RowCodec } from "../../../session-bridge/store/row-codec.ts";

type Frame = { seq: number; rows: [string, string | null][]; events: KeyedEvent[] };

const codec = new RowCodec(randomBytes(32), baileysRows);

function newMirror(announce: () => void = () => undefined): WriteBehindCache {
  return new WriteBehindCache(codec, 0, announce);
}

const read = (frame: string | null): Frame | null => (frame === null ? null : (JSON.parse(frame) as Frame));
const names = (frame: string | null): string[] | undefined => read(frame)?.rows.map(([name]) => name);

function event(title: string): KeyedEvent {
  return { key: title, event: { type: "chat.deleted", chat_id: "5511900000001@c.us" } };
}

describe("the mirror", () => {
  it("answers what was written at once, before it is stored", () => {
    const mirror = newMirror();
    mirror.put([["session|a", { chain: 1 }]]);
    expect(mirror.get("session|a")).toEqual({ chain: 1 });
    expect(mirror.watermark()).toBeGreaterThan(0);
  });

  it("has one commit in flight and gathers the rest", () => {
    const mirror = newMirror();
    mirror.put([["session|a", { chain: 1 }]]);
    const first = mirror.nextCommit();
    mirror.put([["session|a", { chain: 2 }]]);
    mirror.put([["session|b", { chain: 1 }]]);
    mirror.emit([event("one")]);
    expect(mirror.nextCommit()).toBeNull();
    mirror.confirm(read(first)?.seq ?? 0);
    const second = read(mirror.nextCommit());
    expect(second).toMatchObject({ seq: 2, events: [{ key: "one" }] });
    expect(second?.rows.map(([name]) => name)).toEqual(["session|a", "session|b"]);
  });

  it("announces once what one turn of the event loop wrote", async () => {
    const announce = vi.fn<() => void>();
    const mirror = newMirror(announce);
    for (let at = 0; at < 5; at += 1) mirror.put([[`session|${at}`, { at }]]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(announce).toHaveBeenCalledOnce();
  });

  it("lets what nobody waits for go with what is urgent, or after a moment by itself", async () => {
    vi.useFakeTimers();
    try {
      const announce = vi.fn<() => void>();
      const mirror = newMirror(announce);
      const status: KeyedEvent["event"] = {
        type: "message.status",
        chat_id: "5511900000001@c.us",
        message_id: "3EB0AAAAAAAAAAAAAA",
        status: "delivered",
        participant: null,
        timestamp: 1_800_000_000,
      };
      mirror.put([["journal|1", Buffer.from("a receipt")]], false);
      mirror.emit([{ key: "one", event: status }]);
      vi.advanceTimersByTime(1);
      expect(announce).not.toHaveBeenCalled();
      mirror.emit([event("urgent")]);
      vi.advanceTimersByTime(1);
      expect(announce).toHaveBeenCalledOnce();
      const first = read(mirror.nextCommit());
      expect(first?.events.map(({ key }) => key)).toEqual(["one", "urgent"]);
      mirror.confirm(first?.seq ?? 0);

      mirror.emit([{ key: "two", event: status }]);
      vi.advanceTimersByTime(20);
      expect(announce).toHaveBeenCalledTimes(2);
      expect(read(mirror.nextCommit())?.events.map(({ key }) => key)).toEqual(["two"]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("tells nothing of a row that came and went before the commit", () => {
    const mirror = newMirror();
    mirror.put([["journal|1", new Deferred(() => Buffer.from("a stanza"))]]);
    mirror.emit([event("one")]);
    mirror.put([["journal|1", null]]);
    expect(read(mirror.nextCommit())).toMatchObject({ rows: [], events: [{ key: "one" }] });
  });

  it("needs no commit at all when nothing is left to tell, and lets waiting bytes go", () => {
    const mirror = newMirror();
    const listener = vi.fn<() => void>();
    mirror.onDurable(listener);
    mirror.put([["journal|1", Buffer.from("a stanza")]]);
    mirror.put([["journal|1", null]]);
    expect(mirror.nextCommit()).toBeNull();
    expect(mirror.watermark()).toBe(0);
    expect(listener).toHaveBeenCalled();
  });

  it("tells the deletion of a row that the store has", () => {
    const mirror = newMirror();
    mirror.load([["identity-key|a", codec.seal("identity-key|a", Buffer.from("key"))]]);
    mirror.put([["identity-key|a", Buffer.from("another")]]);
    mirror.put([["identity-key|a", null]]);
    expect(read(mirror.nextCommit())?.rows).toEqual([["identity-key|a", null]]);
    expect(mirror.get("identity-key|a")).toBeUndefined();
  });

  it("does not write the same session again, as Baileys does when it commits what was written ahead", () => {
    const mirror = newMirror();
    const session = { chain: 1 };
    mirror.put([["session|a", session]]);
    mirror.nextCommit();
    mirror.put([["session|a", session]]);
    mirror.confirm(1);
    expect(mirror.nextCommit()).toBeNull();
  });

  it("keeps what was written together in one commit, however much waits", () => {
    const mirror = newMirror();
    const big = Buffer.alloc(300_000);
    mirror.put([
      ["sent|1", big],
      ["session|a", { chain: 1 }],
    ]);
    mirror.put([
      ["sent|2", big],
      ["session|a", { chain: 2 }],
    ]);
    mirror.put([
      ["sent|3", big],
      ["session|a", { chain: 3 }],
    ]);
    const first = mirror.nextCommit();
    expect(names(first)).toEqual(["sent|1", "sent|2", "session|a"]);
    mirror.confirm(1);
    expect(names(mirror.nextCommit())).toEqual(["sent|3", "session|a"]);
  });

  it("sends an unconfirmed commit again after a redial, byte for byte, and not one that was stored", () => {
    const mirror = newMirror();
    mirror.put([["session|a", { chain: 1 }]]);
    const first = mirror.nextCommit();
    expect(mirror.resume(0)).toBe(first);
    mirror.put([["session|a", { chain: 2 }]]);
    expect(read(mirror.resume(1))).toMatchObject({ seq: 2 });
  });

  it("finds a cold row that is on its way, and does not keep it", () => {
    const mirror = newMirror();
    mirror.put([["sent|1", Buffer.from("bytes")]]);
    expect(mirror.unconfirmed("sent|1")).toEqual(Buffer.from("bytes"));
    mirror.nextCommit();
    expect(mirror.unconfirmed("sent|1")).toEqual(Buffer.from("bytes"));
    mirror.confirm(1);
    expect(mirror.unconfirmed("sent|1")).toBeUndefined();
    expect(mirror.get("sent|1")).toBeUndefined();
  });

  it("knows since when something waits", () => {
    const mirror = newMirror();
    expect(mirror.waitingSince).toBeNull();
    mirror.put([["session|a", { chain: 1 }]]);
    mirror.nextCommit();
    expect(mirror.waitingSince).not.toBeNull();
    mirror.confirm(1);
    expect(mirror.waitingSince).toBeNull();
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
  ])("comes back as it was: %s", (_what, name, value) => {
    expect(codec.open(name, codec.seal(name, value))).toEqual(value);
  });

  it("shows nothing of its content, and differs each time", () => {
    const [one, two] = [codec.seal("plain|a", Buffer.from("secret")), codec.seal("plain|a", Buffer.from("secret"))];
    expect(one).not.toBe(two);
    expect(Buffer.from(one, "base64").includes("secret")).toBe(false);
  });

  it("cannot be opened under another name or key", () => {
    const sealed = codec.seal("session|a", { chain: 1 });
    expect(() => codec.open("session|b", sealed)).toThrow("authenticate");
    expect(() => new RowCodec(randomBytes(32), baileysRows).open("session|a", sealed)).toThrow("authenticate");
  });
});
