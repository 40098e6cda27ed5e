// When a history sent in chunks is complete (docs/internals/sessions.md, "History"), in any order of announcement and storage.
import { proto, type BaileysEventMap } from "baileys";
import { expect, it } from "vitest";
import { lidMappingOf } from "#root/session-bridge/networks/baileys/addressing/lid-mapping.ts";
import { historySet, historyStatus } from "#root/session-bridge/networks/baileys/inbound/history-sync.ts";
import { historyWaitsOf } from "#root/session-bridge/networks/baileys/memory/history-waits.ts";
import type { SessionContext } from "#root/session-bridge/networks/baileys/session/session-context.ts";
import type { KeyedEvent } from "@gateway/protocol/events.ts";

const { RECENT } = proto.HistorySync.HistorySyncType;
const PROGRESS = [33, 66, 100];

function session() {
  const states: string[] = [];
  const store: (() => Promise<void>)[] = [];
  const ctx = {
    session: {},
    now: () => 0,
    task: (job: () => Promise<void>) => void store.push(job),
    emit: (events: KeyedEvent[]) => {
      for (const { event } of events) if (event.type === "session.history") states.push(`${event.state} ${event.progress}`);
    },
  } as unknown as SessionContext;
  const waits: string[] = [];
  lidMappingOf.replace(ctx.session, {} as never);
  historyWaitsOf.replace(ctx.session, { begin: () => waits.push("waits"), came: () => waits.push("came") } as never);
  const chunk = (progress: number | null) => {
    const set = { chats: [], contacts: [], messages: [], syncType: RECENT, progress };
    historySet(ctx, set as unknown as BaileysEventMap["messaging-history.set"]);
  };
  return { states, store, waits, chunk, complete: () => historyStatus(ctx, { syncType: RECENT, status: "complete", explicit: true }) };
}

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
