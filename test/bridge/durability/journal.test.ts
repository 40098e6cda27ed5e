import { EventEmitter } from "node:events";
import { randomBytes } from "node:crypto";
import { encodeBinaryNode, type BinaryNode, type WASocket } from "baileys";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Journal } from "#root/session-bridge/networks/baileys/durability/journal.ts";
import { baileysRows } from "#root/session-bridge/networks/baileys/durability/row-serializer.ts";
import { WriteBehindCache } from "#root/session-bridge/store/write-behind-cache.ts";
import { RowCodec } from "#root/session-bridge/store/row-codec.ts";

const codec = new RowCodec(randomBytes(32), baileysRows);
const silent = pino({ level: "silent" });

let store: WriteBehindCache;
let journal: Journal;

beforeEach(() => {
  store = new WriteBehindCache(codec, 0, () => undefined);
  journal = new Journal(store, silent);
});

afterEach(() => {
  vi.useRealTimers();
});

function stanza(id: string, offline = false): BinaryNode {
  return { tag: "message", attrs: { id, from: "somebody", ...(offline ? { offline: "0" } : {}) }, content: Buffer.from(id) };
}

/** A socket as the journal sees it: an emitter whose listeners return promises. */
function newSocket(handle: (node: BinaryNode) => Promise<void> = () => Promise.resolve()) {
  const ws = new EventEmitter();
  const handled: string[] = [];
  const listener: (node: BinaryNode) => unknown = (node) => {
    handled.push(node.attrs["id"] ?? "");
    return handle(node);
  };
  ws.on("CB:message", listener);
  return { sock: { ws } as unknown as WASocket, ws, handled, emit: (node: BinaryNode) => ws.emit("CB:message", node) };
}

const never = new Promise<void>(() => undefined);

/** Receives these stanzas on a socket that closes before Baileys has handled them. */
function leaveUnhandled(...ids: string[]): void {
  const socket = newSocket(() => never);
  const detach = journal.attach(socket.sock, () => true);
  for (const id of ids) socket.emit(stanza(id));
  detach();
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const rows = (): string[] => store.names().filter((name) => name.startsWith("journal|"));

describe("the journal", () => {
  it("deletes a stanza when Baileys has handled it", async () => {
    const work = Promise.withResolvers<void>();
    const socket = newSocket(() => work.promise);
    journal.attach(socket.sock, () => true);
    socket.emit(stanza("a"));
    expect(rows()).toHaveLength(1);
    work.resolve();
    await turn();
    expect(rows()).toEqual([]);
  });

  it("keeps it while a task of one of its events is running", async () => {
    const work = Promise.withResolvers<void>();
    const socket = newSocket(async () => journal.task(() => work.promise));
    journal.attach(socket.sock, () => true);
    socket.emit(stanza("a"));
    await turn();
    expect(rows()).toHaveLength(1);
    work.resolve();
    await turn();
    expect(rows()).toEqual([]);
  });

  it("deletes it although its task failed", async () => {
    const socket = newSocket(async () => journal.task(() => Promise.reject(new Error("failed"))));
    journal.attach(socket.sock, () => true);
    socket.emit(stanza("a"));
    await turn();
    expect(rows()).toEqual([]);
  });

  it("replays on the next socket what the last one did not finish, in order", async () => {
    leaveUnhandled("a", "b");
    const next = newSocket();
    journal.attach(next.sock, () => true);
    expect(next.handled).toEqual([]);
    journal.replay();
    await turn();
    expect(next.handled).toEqual(["a", "b"]);
    expect(rows()).toEqual([]);
  });

  it("keeps a stanza that Baileys finishes after the socket has closed", async () => {
    const work = Promise.withResolvers<void>();
    const socket = newSocket(() => work.promise);
    const detach = journal.attach(socket.sock, () => true);
    socket.emit(stanza("a"));
    detach();
    work.resolve();
    await turn();
    expect(rows()).toHaveLength(1);
  });

  it("replays what an earlier process left in the store", async () => {
    const row = codec.seal("journal|7", Buffer.from(encodeBinaryNode(stanza("old"))));
    store.load([["journal|7", row]]);
    journal = new Journal(store, silent);
    const socket = newSocket();
    journal.attach(socket.sock, () => true);
    socket.emit(stanza("new"));
    journal.replay();
    await turn();
    await turn();
    expect(socket.handled).toEqual(["old", "new"]);
    expect(rows()).toEqual([]);
  });

  it.each(["Maria@", "ana_maria@loja", "@", "vendas: 24h@", "1:2@hosted", "5511988887777@s.whatsapp.net", ""])(
    "replays a stanza from someone whose name is %j as it was",
    async (notify) => {
      const stored = Promise.withResolvers<string>();
      store = new WriteBehindCache(codec, 0, () => stored.resolve(store.nextCommit() ?? ""));
      const enc = { tag: "enc", attrs: { type: "msg" }, content: Buffer.from([1, 0, 255]) };
      const attrs = { id: "a", from: "5511988887777:3@s.whatsapp.net", notify };
      const content = [
        enc,
        { tag: "text", attrs: {}, content: notify },
        { tag: "empty", attrs: {} },
        { ...enc, content: Buffer.from("more") },
      ];
      const sent: BinaryNode = { tag: "message", attrs, content };
      journal = new Journal(store, silent);
      const dying = newSocket(() => never);
      journal.attach(dying.sock, () => true);
      dying.emit(sent);
      const frame = await stored.promise;

      store = new WriteBehindCache(codec, 1, () => undefined);
      store.load((JSON.parse(frame) as { rows: [string, string][] }).rows);
      journal = new Journal(store, silent);
      const replayed: string[] = [];
      const next = newSocket(async (node) => void replayed.push(JSON.stringify(node)));
      journal.attach(next.sock, () => true);
      journal.replay();
      await turn();
      expect(replayed).toEqual([JSON.stringify(sent)]);
      expect(rows()).toEqual([]);
    },
  );

  it("hands live stanzas to Baileys once it has handled the replayed ones, in the order of their arrival", async () => {
    leaveUnhandled("a", "b");
    const works = new Map(["a", "b", "c", "d"].map((id) => [id, Promise.withResolvers<void>()]));
    const next = newSocket((node) => works.get(node.attrs["id"] ?? "")?.promise ?? Promise.resolve());
    journal.attach(next.sock, () => true);
    journal.replay();
    next.emit(stanza("c"));
    works.get("a")?.resolve();
    await turn();
    next.emit(stanza("d"));
    expect(next.handled).toEqual(["a", "b"]);
    works.get("b")?.resolve();
    await turn();
    // Live stanzas wait for the replayed ones only, and not for one another.
    expect(next.handled).toEqual(["a", "b", "c", "d"]);
    next.emit(stanza("e"));
    expect(next.handled).toEqual(["a", "b", "c", "d", "e"]);
    works.get("c")?.resolve();
    works.get("d")?.resolve();
    await turn();
    expect(rows()).toEqual([]);
  });

  it("hands a live stanza to Baileys although an offline one behind the replayed ones is unfinished", async () => {
    leaveUnhandled("a");
    const next = newSocket((node) => (node.attrs["id"] === "offline" ? never : Promise.resolve()));
    journal.attach(next.sock, () => true);
    next.emit(stanza("offline", true));
    next.emit(stanza("live"));
    await turn();
    expect(next.handled.toSorted()).toEqual(["a", "live", "offline"]);
  });

  it("hands a live stanza to Baileys after the offline ones that arrived before it", async () => {
    const work = Promise.withResolvers<void>();
    const socket = newSocket((node) => (node.attrs["id"] === "a" ? work.promise : Promise.resolve()));
    journal.attach(socket.sock, () => true);
    for (const id of ["a", "b"]) socket.emit(stanza(id, true));
    for (const id of ["c", "d"]) socket.emit(stanza(id));
    socket.emit(stanza("e", true));
    await turn();
    expect(socket.handled).toEqual(["a"]);
    work.resolve();
    await turn();
    expect(socket.handled.filter((id) => id !== "e")).toEqual(["a", "b", "c", "d"]);
    expect(rows()).toEqual([]);
  });

  it("keeps the live stanzas that waited for offline ones until the socket closed", async () => {
    const socket = newSocket(() => never);
    const detach = journal.attach(socket.sock, () => true);
    for (const id of ["a", "b"]) socket.emit(stanza(id, true));
    socket.emit(stanza("c"));
    detach();
    const next = newSocket();
    journal.attach(next.sock, () => true);
    journal.replay();
    await turn();
    expect(next.handled).toEqual(["a", "b", "c"]);
    expect(rows()).toEqual([]);
  });

  it("does not let a replayed stanza that never ends hold back the others for longer than a minute", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const failures: string[] = [];
    journal = new Journal(store, silent, { failed: (what) => failures.push(what) });
    leaveUnhandled("a", "b", "c");
    const next = newSocket((node) => (["a", "b"].includes(node.attrs["id"] ?? "") ? never : Promise.resolve()));
    journal.attach(next.sock, () => true);
    next.emit(stanza("live"));
    await turn();
    vi.advanceTimersByTime(59_999);
    await turn();
    expect(next.handled).toEqual(["a"]);
    vi.advanceTimersByTime(1);
    await turn();
    // The second one that never ends takes no further minute.
    expect(next.handled).toEqual(["a", "b", "c", "live"]);
    expect([failures, rows()]).toEqual([["message"], ["journal|1", "journal|2"]]);
  });

  it("keeps the live stanzas that waited for a replay until the socket closed", async () => {
    const first = newSocket(() => never);
    const detach = journal.attach(first.sock, () => true);
    first.emit(stanza("a"));
    detach();
    const detachAgain = journal.attach(first.sock, () => true);
    first.emit(stanza("live"));
    detachAgain();
    const next = newSocket();
    journal.attach(next.sock, () => true);
    journal.replay();
    await turn();
    expect(next.handled).toEqual(["a", "live"]);
    expect(rows()).toEqual([]);
  });

  it.each([
    ["decode", "journal|7", Buffer.from([0, 255, 255, 255])],
    ["parse", "journal|7", Buffer.from([1, 0, 0, 0, 1, 123])],
    ["decrypt", "journal|6", Buffer.from(encodeBinaryNode(stanza("another")))],
  ])("drops a stored stanza that it cannot %s, and continues with the next", async (_what, sealedAs, bytes) => {
    const failures: string[] = [];
    store.load([
      ["journal|7", codec.seal(sealedAs, bytes)],
      ["journal|8", codec.seal("journal|8", Buffer.from(encodeBinaryNode(stanza("next"))))],
    ]);
    journal = new Journal(store, silent, { failed: (what) => failures.push(what) });
    const socket = newSocket();
    journal.attach(socket.sock, () => true);
    journal.replay();
    while (rows().length > 0) await turn();
    expect(socket.handled).toEqual(["next"]);
    expect([failures, journal.size]).toEqual([["journal"], 0]);
  });

  it("hands offline stanzas to Baileys one by one, still marked as offline", async () => {
    const order: string[] = [];
    const socket = newSocket(async (node) => {
      order.push(`${node.attrs["id"]} begins`);
      await turn();
      order.push(`${node.attrs["id"]} ends, ${node.attrs["offline"] === undefined ? "live" : "offline"}`);
    });
    journal.attach(socket.sock, () => true);
    socket.emit(stanza("a", true));
    socket.emit(stanza("b", true));
    while (order.length < 4) await turn();
    expect(order).toEqual(["a begins", "a ends, offline", "b begins", "b ends, offline"]);
    expect([journal.arrivedOffline("a"), journal.arrivedOffline("c")]).toEqual([true, false]);
  });

  describe("with a stanza whose work is unfinished", () => {
    const missing = new Set<string>();

    beforeEach(() => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      vi.spyOn(Math, "random").mockReturnValue(0);
      missing.clear();
      const isKept = ({ attrs }: BinaryNode): boolean => missing.has(attrs["id"] ?? "");
      journal = new Journal(store, silent, { unfinished: { isKept, keeps: isKept } });
    });
    afterEach(() => {
      vi.restoreAllMocks();
    });

    const after = async (minutes: number) => {
      vi.advanceTimersByTime(minutes * 60_000);
      for (let at = 0; at < 5; at += 1) await turn();
    };

    it("keeps it and hands it to Baileys again, ever less often, until the work is finished", async () => {
      const socket = newSocket();
      journal.attach(socket.sock, () => true);
      missing.add("a").add("b");
      for (const id of ["a", "b", "c"]) socket.emit(stanza(id));
      await turn();
      expect([socket.handled.splice(0), rows()]).toEqual([
        ["a", "b", "c"],
        ["journal|1", "journal|2"],
      ]);
      // While the first one fails, the second one waits, too.
      await after(1);
      expect(socket.handled.splice(0)).toEqual(["a"]);
      await after(1);
      expect(socket.handled).toEqual([]);
      await after(1);
      expect(socket.handled.splice(0)).toEqual(["b"]);
      missing.clear();
      await after(4);
      expect(rows()).toEqual([]);
      expect(socket.handled).toEqual([]);
    });

    it("does not let it delay other stanzas on the next socket", async () => {
      missing.add("a");
      const first = newSocket();
      const detach = journal.attach(first.sock, () => true);
      first.emit(stanza("a"));
      await turn();
      detach();
      const next = newSocket(({ attrs }) => (attrs["id"] === "a" ? never : Promise.resolve()));
      journal.attach(next.sock, () => true);
      next.emit(stanza("b"));
      await after(0);
      expect([next.handled, rows()]).toEqual([["b"], ["journal|1"]]);
      await after(1);
      expect(next.handled).toEqual(["b", "a"]);
    });
  });

  it("stores nothing for an unpaired device", () => {
    const socket = newSocket();
    journal.attach(socket.sock, () => false);
    socket.emit(stanza("a"));
    expect(socket.handled).toEqual(["a"]);
    expect(rows()).toEqual([]);
  });
});
