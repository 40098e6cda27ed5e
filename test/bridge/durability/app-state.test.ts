// Unreadable app state collections (docs/internals/sessions.md, "Shared app state"): each is reported once, and the others keep working.
import { proto, type ChatModification } from "baileys";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import { childrenOf } from "#root/test-network/node.ts";
import { AppStateRetries } from "#root/session-bridge/networks/baileys/socket/app-state-retries.ts";
import type { BridgeProcess } from "../../support/bridge/bridge-process.ts";
import type { FakeConnection } from "../../support/bridge/fake-gateway.ts";
import { eventually } from "../../support/eventually.ts";
import { chatOf } from "../phones/world.ts";
import { openWorld, receivedTexts, sendText, type World } from "./world.ts";

const TIMEOUT_MS = 60_000;
/** The collection with pins; labels are in another. */
const PINS = "regular_low";

describe("a collection", () => {
  let world: World;
  let bridge: BridgeProcess;
  let friend: SimulatedPhone;
  let connection: FakeConnection;
  let phone: SimulatedPhone;

  beforeAll(async () => {
    world = await openWorld();
    bridge = await world.startBridge();
    friend = await world.newPhone("Friend");
  });
  beforeEach(async () => {
    ({ connection, phone } = await world.link());
    await friend.sendText(chatOf(phone), "before");
    await eventually("the first message", TIMEOUT_MS, () => receivedTexts(connection).includes("before"));
    await label("1");
  });
  afterAll(() => world.close());

  const change = (pin: boolean) => phone.modify({ pin } as ChatModification, chatOf(friend));
  const pins = () => connection.of("chat.updated").flatMap(({ pinned }) => (pinned === undefined ? [] : [pinned]));
  const pinned = (value: boolean) => eventually(`pinned to be ${value}`, TIMEOUT_MS, () => pins().at(-1) === value);
  /** Changes the other collection, and waits for its event. */
  const label = async (id: string) => {
    await phone.modify({ addLabel: { id, name: `Label ${id}`, color: 1 } } as ChatModification);
    await connection.saw("label.updated", ({ label_id }) => label_id === id);
  };
  const told = () =>
    bridge
      .output()
      .split("\n")
      .flatMap((line) =>
        line.includes('"app_state.unread"') ? [JSON.parse(line) as { connection: string; collection: string; why: string }] : [],
      )
      .flatMap(({ connection: whose, collection, why }) => (whose === connection.id ? [`${collection} ${why}`] : []));
  /** The log has its own pipe, so it may lag behind the connection's events. */
  const logged = async (lines: number) => {
    await eventually("the log", TIMEOUT_MS, () => told().length >= lines);
    return told();
  };
  /** Counts the session's queries for pins from now on. */
  const countQueries = (): (() => number) => {
    let asked = 0;
    const request = world.network.request.bind(world.network);
    world.network.request = (from, iq) => {
      const names = childrenOf(childrenOf(iq)[0]).map(({ attrs }) => attrs["name"]);
      if (from.id !== 0 && iq.attrs["xmlns"] === "w:sync:app:state" && names.includes(PINS)) asked += 1;
      return request(from, iq);
    };
    return () => asked;
  };

  it("is reported once if the network omits it, without endless requests, while the others continue", async () => {
    world.network.faults.add({ phone: phone.pn, kind: "leave_out", collection: PINS });
    const asked = countQueries();
    await change(true);
    await label("2");
    await change(false);
    await change(true);
    await label("3");
    await sendText(connection, friend, "still here");
    await connection.saw("send.settled", ({ outcome }) => outcome.kind === "acknowledged");
    expect(await logged(1)).toEqual([`${PINS} left_out`]);
    expect(asked()).toBeLessThanOrEqual(3);
    expect(pins()).toEqual([]);
    world.network.faults.clear(phone.pn);
    await change(false);
    await pinned(false);
  });

  it("is reported once while its key is withheld, while the others continue, and read once the key arrives", async () => {
    await phone.withholdKey(PINS);
    await change(true);
    await label("2");
    await change(false);
    await change(true);
    await label("3");
    expect(await logged(1)).toEqual([`${PINS} missing_key`]);
    expect(pins()).toEqual([]);
    await phone.withholdKey(null);
    await pinned(true);
  });

  it("is reported once if its checksum is wrong, and read anyway", async () => {
    world.network.faults.add({ phone: phone.pn, kind: "wrong_mac", collection: PINS });
    await change(true);
    await pinned(true);
    await label("2");
    await change(false);
    await pinned(false);
    await change(true);
    await pinned(true);
    expect(await logged(1)).toEqual([`${PINS} wrong_mac`]);
    world.network.faults.clear(phone.pn);
    await change(false);
    await pinned(false);
    world.network.faults.add({ phone: phone.pn, kind: "wrong_mac", collection: PINS });
    await change(true);
    await pinned(true);
    expect(await logged(2)).toEqual([`${PINS} wrong_mac`, `${PINS} wrong_mac`]);
  });

  it.each(["is missing", "breaks the connection"])("is reported once if its snapshot %s, while the others are read", async (how) => {
    const request = world.network.request.bind(world.network);
    const directPath = how === "is missing" ? "/none" : world.network.blobs.put(Buffer.alloc(100_000), "enc");
    const reference = proto.ExternalBlobReference.encode({ mediaKey: Buffer.alloc(32, 1), directPath }).finish();
    world.network.blobs.trouble = { kind: "cut" };
    world.network.request = (from, iq) => {
      const answer = request(from, iq);
      if (from.id === 0 || iq.attrs["xmlns"] !== "w:sync:app:state") return answer;
      for (const collection of childrenOf(childrenOf(answer)[0])) {
        if (collection.attrs["name"] === PINS) collection.content = [{ tag: "snapshot", attrs: {}, content: reference }];
      }
      return answer;
    };
    await change(true);
    await label("2");
    await change(false);
    await label("3");
    await sendText(connection, friend, "still here");
    await connection.saw("send.settled", ({ outcome }) => outcome.kind === "acknowledged");
    world.network.request = request;
    world.network.blobs.trouble = null;
    expect(await logged(1)).toEqual([`${PINS} failed`]);
    expect(bridge.output()).not.toContain("bridge.uncaught");
    await change(true);
    await pinned(true);
  });

  it("keeps a correct checksum when both the phone and the bridge change it", async () => {
    await change(true);
    await pinned(true);
    expect(await connection.command("chats.pin", { chat_id: chatOf(friend), pinned: false })).toMatchObject({ ok: true });
    await change(true);
    await eventually("the phone's pin", TIMEOUT_MS, () => pins().join() === "true,false,true");
    expect(await logged(0)).toEqual([]);
  });

  it("is reported once by a bridge killed right after storing its change, and by the next one", async () => {
    const killed = connection.dieAfter(
      ({ events }) => events.some(({ event }) => event.type === "chat.updated" && event.pinned === true),
      () => bridge.kill(),
    );
    await change(true);
    await killed;
    bridge = await world.startBridge();
    world.gateway.place(connection);
    await eventually("the session to be open again", TIMEOUT_MS, () => connection.of("session.open").length === 2);
    await change(false);
    await pinned(false);
    expect(pins()).toEqual([true, false]);
  });
});

describe("collections that could not be read", () => {
  const COLLECTIONS = ["critical_block", "critical_unblock_low", "regular_high", "regular_low", "regular"];
  const NONE = "[]";
  const told: string[] = [];
  let asked: { names: string[]; isInitial: boolean }[];
  let stored: string | undefined;
  let known: string[];
  let hasKey: boolean;
  let isUnreadable: boolean;
  let resync: (retries: AppStateRetries, name: string) => void | Promise<void>;

  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    told.splice(0);
    asked = [];
    stored = NONE;
    known = COLLECTIONS;
    hasKey = true;
    isUnreadable = false;
    resync = (retries, name) => retries.read(name, false);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  const retriesOf = (): AppStateRetries => {
    const sock = {
      authState: {
        creds: { myAppStateKeyId: "key" },
        keys: {
          get: async (_type: string, names: string[]) => {
            if (isUnreadable) throw new Error("no rows");
            return Object.fromEntries(names.flatMap((name) => (known.includes(name) ? [[name, {}]] : [])));
          },
        },
      },
      resyncAppState: async (names: string[], isInitial: boolean): Promise<void> => {
        asked.push({ names, isInitial });
        for (const name of names) await resync(retries, name);
      },
    };
    const row = { read: () => stored, write: (text: string) => void (stored = text) };
    const keyless = { ...sock, authState: { ...sock.authState, creds: {} } };
    const retries: AppStateRetries = new AppStateRetries(
      row,
      () => (hasKey ? sock : keyless) as never,
      (name, why) => told.push(`${name} ${why}`),
    );
    return retries;
  };

  it("are requested later if their versions could not be read at first", async () => {
    isUnreadable = true;
    const retries = retriesOf();
    retries.unread("regular", "unanswered");
    await vi.advanceTimersByTimeAsync(90_000);
    expect(asked).toEqual([]);
    isUnreadable = false;
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(asked.map(({ names }) => names.join())).toEqual(["regular"]);
  });

  it("are requested one at a time, at growing intervals, until they are read", async () => {
    let broken = true;
    resync = (retries, name) => {
      if (name === "regular" && broken) throw new Error("no answer");
      retries.read(name, false);
    };
    const retries = retriesOf();
    for (const name of ["regular_high", "regular", "regular_low"]) retries.unread(name, "unanswered");
    await vi.advanceTimersByTimeAsync(90_000);
    expect(asked.map(({ names }) => names.join())).toEqual(["regular_high", "regular", "regular_low"]);
    await vi.advanceTimersByTimeAsync(3_600_000);
    const later = asked.slice(3).map(({ names }) => names.join());
    expect(new Set(later)).toEqual(new Set(["regular"]));
    expect(later.length).toBeLessThan(8);
    expect(stored).toBe('["regular"]');
    broken = false;
    await vi.advanceTimersByTimeAsync(3_600_000);
    const count = asked.length;
    await vi.advanceTimersByTimeAsync(24 * 3_600_000);
    expect(asked).toHaveLength(count);
    expect(stored).toBe(NONE);
    expect(told).toEqual(["regular_high unanswered", "regular unanswered", "regular_low unanswered"]);
  });

  it("are no longer requested once the session has ended", async () => {
    const { promise: answer, reject } = Promise.withResolvers<void>();
    resync = () => answer;
    const retries = retriesOf();
    retries.unread("regular", "unanswered");
    await vi.advanceTimersByTimeAsync(120_000);
    expect(asked).toHaveLength(1);
    retries.stop();
    reject(new Error("the socket was closed"));
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("include all collections until the first sync, and wait for the phone's key", async () => {
    stored = undefined;
    known = ["regular"];
    hasKey = false;
    const retries = retriesOf();
    retries.wake();
    await vi.advanceTimersByTimeAsync(24 * 3_600_000);
    expect(asked).toEqual([]);
    hasKey = true;
    retries.wake();
    await vi.advanceTimersByTimeAsync(90_000);
    expect(asked).toEqual([
      { names: COLLECTIONS.filter((name) => name !== "regular"), isInitial: true },
      { names: ["regular"], isInitial: false },
    ]);
    expect(stored).toBe(NONE);
  });

  it("are not requested when the library's own sync has read them", async () => {
    stored = undefined;
    const retries = retriesOf();
    retries.wake();
    for (const name of COLLECTIONS) retries.read(name, true);
    await vi.advanceTimersByTimeAsync(0);
    expect(stored).toBe(NONE);
    await vi.advanceTimersByTimeAsync(24 * 3_600_000);
    retriesOf().wake();
    expect(vi.getTimerCount()).toBe(0);
    expect(asked).toEqual([]);
  });
});
