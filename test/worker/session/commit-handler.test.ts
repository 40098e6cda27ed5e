// Stored data after a failure right after the transaction.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import { EventProjection } from "#root/durable-objects/connection/projection/event-projection.ts";
import { CommitHandler, type CommitHandlerDependencies } from "#root/durable-objects/connection/commit-handler.ts";
import { Instance } from "#root/durable-objects/connection/instance/instance.ts";
import { CommitProgress } from "#root/durable-objects/connection/session/commit-progress.ts";
import { Counters } from "#root/durable-objects/connection/statistics/counters.ts";
import { StatusHours } from "#root/durable-objects/connection/statistics/status-hours.ts";
import { StateRows } from "#root/durable-objects/connection/session/state-rows.ts";
import { Stores } from "#root/durable-objects/connection/store/stores.ts";
import { Outbox } from "#root/durable-objects/connection/outbox/outbox.ts";
import { OutboxRows } from "#root/durable-objects/connection/outbox/outbox-rows.ts";
import type { SendLink } from "#root/durable-objects/connection/session/network-client.ts";
import { OwnSendProjection } from "#root/durable-objects/connection/messages/own-sends.ts";
import type { GatewayFact } from "@gateway/domain/gateway-event.ts";
import { gridOf } from "@gateway/domain/spread.ts";
import type { KeyedEvent } from "@gateway/protocol/events.ts";
import type { SendRequest } from "@gateway/protocol/content.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import { acknowledged, theirText } from "../fakes/messages.ts";

type World = { deps: CommitHandlerDependencies; finished: boolean[]; sql: SqlStorage };

/** A handler's dependencies in a separate object; by default nothing fails. */
async function inObject(run: (world: World) => void | Promise<void>): Promise<void> {
  await runInDurableObject(env.CONNECTION.getByName(crypto.randomUUID()), async (_object, { storage }) => {
    const { sql } = storage;
    const finished: boolean[] = [];
    const progress = new CommitProgress(sql);
    progress.begin(1, "bridge");
    const stateRows = new StateRows(sql);
    const counters = new Counters(sql, progress);
    const instance = new Instance(sql, new StatusHours(sql), Date.now());
    const observer = { committed: () => finished.push(true), rolledBack: () => finished.push(false) };
    const deps: CommitHandlerDependencies = {
      storage,
      participants: [counters, stateRows, progress, instance, observer],
      stateRows,
      progress,
      counters,
      instance,
      projection: new EventProjection(new Stores(sql)),
      sends: {
        storeMentioned: () => undefined,
        confirm: () => undefined,
        recount: () => undefined,
        settle: () => [],
      },
      deliveries: { enqueue: () => undefined, dispatcher: { dispatchStored: () => undefined } },
      recent: { add: () => [], newestOf: () => 0 },
      watchers: { emit: () => undefined },
      eventStreams: { emit: () => undefined },
      listeners: { store: () => undefined, emit: () => undefined },
      notifications: { store: () => undefined, run: () => undefined },
      automations: { onFacts: () => undefined },
      instanceRef: () => ({ id: 1, uuid: "u", name: "Loja", phone: null }),
      onConnected: () => undefined,
      onReconnected: () => undefined,
      onApplied: () => undefined,
      onAwayForLong: () => undefined,
      onNumberChanged: () => undefined,
    };
    await run({ deps, finished, sql });
  });
}

const STEPS: Readonly<Record<string, (deps: CommitHandlerDependencies, broken: () => never) => Partial<CommitHandlerDependencies>>> = {
  "the sends": ({ sends }, broken) => ({ sends: { ...sends, storeMentioned: broken } }),
  "the projection": (_deps, broken) => ({ projection: { apply: broken } as unknown as EventProjection }),
  "the deliveries": ({ deliveries }, broken) => ({ deliveries: { ...deliveries, enqueue: broken } }),
  "the listeners": ({ listeners }, broken) => ({ listeners: { ...listeners, store: broken } }),
  "the notifications": ({ notifications }, broken) => ({ notifications: { ...notifications, store: broken } }),
};

const KEY = "message:5511900000002@c.us:in:A";
const received = { key: KEY, event: { type: "message.upsert" as const, message: theirText("A", "oi"), origin: "live" as const } };

it("a commit is stored, and every other listener notified, when a listener throws", async () => {
  const notified: string[] = [];
  const broken = (whom: string) => () => {
    notified.push(whom);
    throw new Error(`${whom} broke`);
  };
  await inObject(({ deps, finished, sql }) => {
    const watched = { watchers: { emit: broken("watchers") }, eventStreams: { emit: broken("eventStreams") } };
    const listeners = { ...deps.listeners, emit: broken("listeners") };
    const deliveries = { ...deps.deliveries, dispatcher: { dispatchStored: broken("deliveries") } };
    const handler = new CommitHandler({ ...deps, ...watched, listeners, deliveries, automations: { onFacts: broken("automations") } });
    handler.commit({ seq: 1, rows: [["creds|me", "AAAA"]], events: [received], current: true }, Date.now());
    expect(finished).toEqual([true]);
    expect([deps.progress.seq, new CommitProgress(sql).seq]).toEqual([1, 1]);
  });
  expect(notified).toEqual(["deliveries", "watchers", "eventStreams", "listeners", "automations"]);
});

it.each(Object.keys(STEPS))("a failed commit leaves nothing in storage or memory when %s cannot be stored on a full disk", (step) =>
  inObject(({ deps, finished, sql }) => {
    const broken = () => {
      throw new Error("database or disk is full: SQLITE_FULL");
    };
    const commit = (handler: CommitHandler) =>
      handler.commit({ seq: 1, rows: [["plain|a", "AAAA"]], events: [received], current: true }, Date.now());
    const counts = () => deps.counters.hoursSince(0);
    const before = [...counts()];
    expect(() => commit(new CommitHandler({ ...deps, ...STEPS[step]?.(deps, broken) }))).toThrow("SQLITE_FULL");
    expect(finished).toEqual([false]);
    expect([deps.progress.seq, new CommitProgress(sql).seq]).toEqual([0, 0]);
    expect([deps.stateRows, new StateRows(sql)].map((rows) => rows.fetch(["plain|a"]))).toEqual([[], []]);
    expect([...counts()]).toEqual(before);
    commit(new CommitHandler(deps));
    expect([deps.progress.seq, deps.stateRows.fetch(["plain|a"])]).toEqual([1, [["plain|a", "AAAA"]]]);
    const [hour] = [...counts().values()].toReversed();
    expect(hour?.["received.text"]).toBe(1);
  }),
);

it("a report is stored although what follows it throws", async () => {
  const lines = vi.spyOn(console, "log");
  await inObject(({ deps, finished }) => {
    const onApplied = () => {
      throw new Error("cannot follow");
    };
    new CommitHandler({ ...deps, onApplied }).report(() => [], Date.now());
    expect(finished).toEqual([true]);
  });
  const seen = lines.mock.calls.map(([line]) => String(line)).filter((line) => line.includes("notify_failed"));
  lines.mockRestore();
  expect(seen.map((line) => JSON.parse(line) as object)).toMatchObject([{ listener: "applied", message: "cannot follow" }]);
});

it("the rows of a commit stay when its event, which deletes them, is left out", () =>
  inObject(({ deps, sql }) => {
    const apply = () => {
      deps.stateRows.wipe();
      throw new Error("cannot be stored");
    };
    const rows: [string, string][] = [
      ["plain|a", "AAAA"],
      ["session|b", "BBBB"],
      ["creds|c", "C".repeat(1_000_001)],
    ];
    const keys = rows.map(([key]) => key);
    const commit = (handler: CommitHandler, seq: number, events: KeyedEvent[]) =>
      handler.commit({ seq, rows: seq === 1 ? rows : [["creds|c", "D"]], events, current: true }, Date.now());
    commit(new CommitHandler({ ...deps, projection: { apply } as unknown as EventProjection }), 1, [received]);
    for (const each of [deps.stateRows, new StateRows(sql)]) expect(each.fetch(keys)).toEqual(rows);
    commit(new CommitHandler(deps), 2, []);
    expect(sql.exec("SELECT * FROM row_part").toArray()).toEqual([]);
  }));

it("an event that cannot be stored is left out of its commit, and no phone number is in the log", async () => {
  const lines = vi.spyOn(console, "log");
  await inObject(({ deps, sql }) => {
    const projection = {
      apply: () => {
        throw new Error("cannot be stored");
      },
    } as unknown as EventProjection;
    new CommitHandler({ ...deps, projection }).commit(
      { seq: 1, rows: [["creds|me", "AAAA"]], events: [received], current: true },
      Date.now(),
    );
    expect(new CommitProgress(sql).seq).toBe(1);
  });
  const seen = lines.mock.calls.map(([line]) => String(line)).filter((line) => line.includes("event_failed"));
  lines.mockRestore();
  expect(seen.map((line) => JSON.parse(line) as object)).toMatchObject([
    { event: "session.event_failed", connection: "u", type: "message.upsert", message: "cannot be stored" },
  ]);
  expect(seen.join()).not.toContain("5511900000002");
});

it("an exception that does not recur when the events are stored separately is logged", async () => {
  const lines = vi.spyOn(console, "log");
  await inObject(({ deps, finished }) => {
    const events = new EventProjection(new Stores(deps.storage.sql));
    const apply = vi.fn((...applied: Parameters<EventProjection["apply"]>) => events.apply(...applied));
    apply.mockImplementationOnce(() => {
      throw new Error("fails only once");
    });
    new CommitHandler({ ...deps, projection: { apply } as unknown as EventProjection }).commit(
      { seq: 1, rows: [], events: [received], current: true },
      Date.now(),
    );
    expect(finished).toEqual([false, true]);
  });
  const seen = lines.mock.calls.map(([line]) => String(line)).filter((line) => line.includes("commit_retried"));
  lines.mockRestore();
  expect(seen.map((line) => JSON.parse(line) as object)).toMatchObject([
    { event: "session.commit_retried", connection: "u", message: "fails only once" },
  ]);
});

it("a change that throws is not repeated, because it has no parts that could be skipped", () =>
  inObject(({ deps, finished }) => {
    const change = vi.fn(() => {
      throw new Error("cannot be made");
    });
    expect(() => new CommitHandler(deps).change(change, Date.now())).toThrow("cannot be made");
    expect(() => new CommitHandler(deps).report(change, Date.now())).toThrow("cannot be made");
    expect(change).toHaveBeenCalledTimes(2);
    expect(finished).toEqual([false, false]);
  }));

const facts = (...ids: string[]) =>
  ids.map((id): GatewayFact => ({ key: id, at: 0, event: { type: "label.deleted", label_id: id, name: null, timestamp: 0 } }));

describe("facts that a receiver cannot store", () => {
  /** Receivers that store each fact's label, except the one that their name refuses. */
  function receivers({ deps, sql }: World, refused: Readonly<Record<string, string>>) {
    sql.exec("CREATE TABLE stored (receiver TEXT NOT NULL, label TEXT NOT NULL)");
    const store = (receiver: string) => (some: readonly GatewayFact[]) => {
      for (const { key } of some) {
        sql.exec("INSERT INTO stored VALUES (?, ?)", receiver, key);
        if (key === refused[receiver]) throw new Error(`${receiver} cannot store it`);
      }
    };
    return {
      ...deps,
      deliveries: { ...deps.deliveries, enqueue: store("deliveries") },
      listeners: { ...deps.listeners, store: store("listeners") },
      notifications: { ...deps.notifications, store: store("notifications") },
    };
  }
  const stored = (sql: SqlStorage) =>
    sql.exec<{ receiver: string; labels: string }>("SELECT receiver, group_concat(label, '') AS labels FROM stored GROUP BY 1").toArray();

  it("are missing only there, and are logged", async () => {
    const lines = vi.spyOn(console, "log");
    await inObject((world) => {
      const handler = new CommitHandler(receivers(world, { deliveries: "B", listeners: "A", notifications: "C" }));
      handler.report(() => facts("A", "B", "C"), Date.now());
      expect(stored(world.sql)).toEqual([
        { receiver: "deliveries", labels: "AC" },
        { receiver: "listeners", labels: "BC" },
        { receiver: "notifications", labels: "AB" },
      ]);
      expect(world.finished).toEqual([false, true]);
    });
    const seen = lines.mock.calls.map(([line]) => String(line)).filter((line) => line.includes("event_failed"));
    lines.mockRestore();
    expect(seen.map((line) => JSON.parse(line) as object)).toMatchObject(
      ["deliveries", "listeners", "notifications"].map((receiver) => ({ connection: "u", type: "label.deleted", receiver })),
    );
  });

  it("do not keep the instance's state from changing", async () => {
    await inObject((world) => {
      const { deps } = world;
      const enqueue = vi.fn(() => {
        throw new Error("cannot be stored");
      });
      const handler = new CommitHandler({ ...deps, deliveries: { ...deps.deliveries, enqueue } });
      handler.step({ type: "connect", forceNewPairing: false }, Date.now());
      handler.step({ type: "cloud.verified", phone: "5511900000001", profileName: null }, Date.now());
      expect(enqueue).toHaveBeenCalled();
      expect(deps.instance.state.status).toBe("connected");
      expect(new Instance(world.sql, new StatusHours(world.sql), Date.now()).state).toEqual(deps.instance.state);
    });
  });
});

it("a commit is applied once, although its stale reads cannot be dropped", async () => {
  await inObject(({ deps, sql }) => {
    const events = new EventProjection(new Stores(sql));
    const apply = vi.fn((...applied: Parameters<EventProjection["apply"]>) => events.apply(...applied));
    const onApplied = () => {
      throw new Error("cannot be dropped");
    };
    const handler = new CommitHandler({ ...deps, projection: { apply } as unknown as EventProjection, onApplied });
    handler.commit({ seq: 1, rows: [], events: [received], current: true }, Date.now());
    expect(apply).toHaveBeenCalledOnce();
  });
});

it("an event is not skipped because the disk is full: nothing of its commit is stored", async () => {
  await inObject(({ deps, finished, sql }) => {
    const projection = {
      apply: () => {
        throw new Error("database or disk is full: SQLITE_FULL");
      },
    } as unknown as EventProjection;
    const handler = new CommitHandler({ ...deps, projection });
    const commit = () => handler.commit({ seq: 1, rows: [["creds|me", "AAAA"]], events: [received], current: true }, Date.now());
    expect(commit).toThrow("SQLITE_FULL");
    expect(finished).toEqual([false]);
    expect([deps.progress.seq, new CommitProgress(sql).seq]).toEqual([0, 0]);
    expect(new StateRows(sql).fetch(["creds|me"])).toEqual([]);
  });
});

it("a send is still open when the event by which it was settled is left out, and its caller hears of the next one", async () => {
  await inObject(async ({ deps, sql }) => {
    const stores = new Stores(sql);
    const line = {};
    const link = {
      ready: async () => ({ ok: true, value: line }),
      current: () => line,
      generation: () => 1,
      send: () => undefined,
      isRedialled: true,
    };
    const outbox = new Outbox({
      rows: new OutboxRows(sql, gridOf("u", DAY_MS)),
      link: () => link as unknown as SendLink,
      projection: new OwnSendProjection(stores),
      counters: deps.counters,
      rearm: () => undefined,
      takeBack: () => false,
      commitHandler: () => ({ change: (run) => run(), report: () => undefined }),
    });
    let answer: unknown = null;
    const sending = outbox.send(SEND, { to: null, reference: null, source: "api", content: null }, Date.now());
    void sending.then((outcome) => (answer = outcome));
    const turn = () => new Promise((resolve) => setTimeout(resolve, 0));
    await turn();

    const events = new EventProjection(stores);
    const broken = {
      apply: (...applied: Parameters<EventProjection["apply"]>) => {
        events.apply(...applied);
        throw new Error("cannot be stored");
      },
    } as unknown as EventProjection;
    const settled = {
      key: `send:${SEND.message_id}`,
      event: { type: "send.settled" as const, message_id: SEND.message_id, outcome: SETTLED },
    };
    const commitOf = (seq: number) => ({ seq, rows: [], events: [settled], current: true });
    const withOutbox = { ...deps, participants: [...deps.participants, outbox.settlement], sends: outbox.settlement };
    new CommitHandler({ ...withOutbox, projection: broken }).commit(commitOf(1), Date.now());
    await turn();
    expect([answer, outbox.openRequest(SEND.message_id)]).toEqual([null, SEND]);

    new CommitHandler(withOutbox).commit(commitOf(2), Date.now());
    expect(await sending).toMatchObject({ ok: true, value: { message_id: SEND.message_id } });
    expect(outbox.openRequest(SEND.message_id)).toBeNull();
  });
});

const SEND: SendRequest = {
  message_id: "ABCDEF0123456789",
  chat_id: "5511900000002@c.us",
  content: { kind: "text", text: "oi", preview: null },
  quoted: null,
  mentions: [],
  mention_all: false,
  typing_ms: 0,
  status: null,
};
const SETTLED = acknowledged(SEND.message_id, "oi");
