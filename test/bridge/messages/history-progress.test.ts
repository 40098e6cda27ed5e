// When a history sent in chunks is complete (docs/internals/sessions.md, "History"), in any order of announcement and storage.
import { proto, type BaileysEventMap, type WAMessage } from "baileys";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { lidMappingOf } from "#root/session-bridge/networks/baileys/addressing/lid-mapping.ts";
import { historySet, historyStatus, unfinishedHistory } from "#root/session-bridge/networks/baileys/inbound/history-sync.ts";
import { historyChunksOf } from "#root/session-bridge/networks/baileys/memory/history-chunks.ts";
import { historyWaitsOf } from "#root/session-bridge/networks/baileys/memory/history-waits.ts";
import type { NetworkSession, SessionContext } from "#root/session-bridge/networks/baileys/session/session-context.ts";
import type { KeyedEvent } from "@gateway/protocol/events.ts";

const { RECENT } = proto.HistorySync.HistorySyncType;
const PROGRESS = [33, 66, 100];

function session(rows = new Map<string, string>()) {
  const states: string[] = [];
  const store: (() => Promise<void>)[] = [];
  const clock = { ms: 0 };
  const own = {
    now: () => clock.ms,
    logger: pino({ level: "silent" }),
    settings: { sync_history: "full" },
    rows: {
      get: (name: string) => rows.get(name),
      put: (name: string, value: string | null) => (value === null ? rows.delete(name) : rows.set(name, value)),
      keysOf: (type: string) => [...rows.keys()].filter((name) => name.startsWith(`${type}|`)),
    },
    task: (job: () => Promise<void>) => void store.push(job),
    emit: (events: KeyedEvent[]) => {
      for (const { event } of events) if (event.type === "session.history") states.push(`${event.state} ${event.progress}`);
    },
  } as unknown as NetworkSession;
  const ctx = { ...own, session: own } as SessionContext;
  const waits: string[] = [];
  lidMappingOf.replace(ctx.session, {} as never);
  historyWaitsOf.replace(ctx.session, { begin: () => waits.push("waits"), came: () => waits.push("came") } as never);
  const unfinished = unfinishedHistory(() => own);
  const nodeOf = (progress: number) => ({ tag: "message", attrs: { id: `CHUNK${progress}` } });
  const chunk = (progress: number | null) => {
    const set = { chats: [], contacts: [], messages: [], syncType: RECENT, progress, chunkOrder: progress };
    historyChunksOf(own).came(set as unknown as BaileysEventMap["messaging-history.set"]);
    historySet(ctx, set as unknown as BaileysEventMap["messaging-history.set"]);
  };
  return {
    states,
    store,
    waits,
    clock,
    chunk,
    complete: () => historyStatus(ctx, { syncType: RECENT, status: "complete", explicit: true }),
    announce(progress: number) {
      const historySyncNotification = { syncType: RECENT, progress, chunkOrder: progress, directPath: pathOf(progress) };
      historyChunksOf(own).announced({
        key: { id: nodeOf(progress).attrs.id, fromMe: true },
        message: { protocolMessage: { historySyncNotification } },
      } as unknown as WAMessage);
    },
    gone: (progress: number) => historyChunksOf(own).gone(pathOf(progress)),
    /** The library has ended its work. Returns whether the journal must keep the chunk's stanza. */
    ends: (progress: number) => unfinished.keeps(nodeOf(progress)),
    isKept: (progress: number) => unfinished.isKept(nodeOf(progress)),
    async storeLast() {
      await store.at(-1)!();
    },
  };
}

const pathOf = (progress: number): string => `/v/${progress}.enc?oh=1`;

function ordersOf<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, at) => ordersOf(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}

it.each(ordersOf([...PROGRESS, null]))(
  "chunks that come in the order %s, %s, %s, %s (null: the announced end) end as complete",
  async (...order) => {
    for (const stored of ordersOf([0, 1, 2])) {
      const { states, store, waits, chunk, complete } = session();
      for (const one of order) {
        if (one === null) complete();
        else chunk(one);
      }
      for (const at of stored.slice(0, -1)) await store[at]!();
      expect(states).not.toContain("complete 100");
      await store[stored.at(-1)!]!();
      expect(states).toEqual(["complete 100"]);
      expect(waits.at(-1)).toBe("came");
    }
  },
);

it.each(ordersOf([...PROGRESS, null]))("chunks stored as they come, %s, %s, %s, %s, end as complete", async (...order) => {
  const { states, store, chunk, complete } = session();
  for (const one of order) {
    if (one === null) complete();
    else {
      chunk(one);
      await store.at(-1)!();
    }
  }
  expect(states.at(-1)).toBe("complete 100");
  const last = order.indexOf(100);
  expect(states.slice(0, -1).filter((state) => state.startsWith("running"))).toHaveLength(
    order.slice(0, last).filter((one) => one !== null).length,
  );
});

it("an announced end alone completes nothing, and ends a sync whose chunks have no progress", async () => {
  const { states, store, chunk, complete } = session();
  complete();
  expect(states).toEqual([]);
  chunk(null);
  await store[0]!();
  expect(states).toEqual(["complete 100"]);
});

describe("a history with a missing chunk", () => {
  async function without66(rows = new Map<string, string>()) {
    const phone = session(rows);
    for (const progress of PROGRESS) {
      phone.announce(progress);
      if (progress !== 66) {
        phone.chunk(progress);
        await phone.storeLast();
      }
      expect(phone.ends(progress)).toBe(progress === 66);
    }
    return phone;
  }

  it("is complete once the chunk has come", async () => {
    const { states, waits, announce, chunk, ends, isKept, storeLast } = await without66();
    expect([states, waits.at(-1), isKept(66)]).toEqual([["running 33"], "waits", true]);
    announce(66);
    chunk(66);
    expect(ends(66)).toBe(false);
    await storeLast();
    expect([states, waits.at(-1), isKept(66)]).toEqual([["running 33", "complete 100"], "came", false]);
  });

  it("is complete once the chunk has come to another process", async () => {
    const rows = new Map<string, string>();
    await without66(rows);
    const { states, announce, chunk, storeLast } = session(rows);
    announce(66);
    chunk(66);
    await storeLast();
    expect(states).toEqual(["complete 100"]);
    expect(rows).toEqual(new Map());
  });

  it("is complete without the chunk after half a day of failures", async () => {
    const { states, clock, announce, ends, isKept } = await without66();
    clock.ms = 12 * 3_600_000 - 1;
    announce(66);
    expect([ends(66), states]).toEqual([true, ["running 33"]]);
    clock.ms += 1;
    announce(66);
    expect([ends(66), states, isKept(66)]).toEqual([false, ["running 33", "complete 100"], false]);
  });

  it("does not withhold a later end if the chunk's stanza is lost, for example to an older bridge", async () => {
    const rows = new Map<string, string>();
    await without66(rows);
    const { states, clock, announce, chunk, storeLast } = session(rows);
    clock.ms = 12 * 3_600_000;
    announce(100);
    chunk(100);
    await storeLast();
    expect(states).toEqual(["complete 100"]);
    expect(rows).toEqual(new Map());
  });

  it("is complete without a last chunk that the host has deleted", async () => {
    const { states, announce, chunk, gone, ends, storeLast } = session();
    announce(66);
    chunk(66);
    await storeLast();
    announce(100);
    gone(100);
    expect(ends(100)).toBe(false);
    expect(states).toEqual(["running 66", "complete 100"]);
  });
});
