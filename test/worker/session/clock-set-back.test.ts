// The clock was a day ahead and has been corrected: work stored in between runs within its normal delay, evicted or not.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import type { FakeBridge, FakeSession } from "../fakes/bridge.ts";
import { allEnded, TestConnection } from "../fakes/connection.ts";
import { theirs } from "../fakes/messages.ts";

const NOW = Date.UTC(2035, 0, 1, 10, 20);

beforeEach(() => {
  vi.useFakeTimers({ now: NOW + DAY_MS, toFake: ["Date"] });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await allEnded();
});

type World = { connection: TestConnection; bridge: FakeBridge; session: FakeSession; attempts: () => number };
type Scenario = {
  what: string;
  /** Runs while the clock is a day ahead. */
  begin: (world: World) => Promise<unknown>;
  isDone: (world: World) => Promise<boolean>;
  withinMs: number;
};

const SCENARIOS: Scenario[] = [
  {
    what: "the retry of a delivery",
    begin: async ({ session, attempts }) => {
      await session.commit([theirs("A")]);
      await vi.waitFor(() => expect(attempts()).toBe(1));
    },
    isDone: async ({ attempts }) => attempts() > 1,
    withinMs: 10_000,
  },
  {
    what: "the move of a session that does not dial again",
    begin: async ({ connection, session }) => {
      session.drop();
      await vi.waitFor(async () => expect((await connection.stored.session()).lease.phase).toBe("detached"));
    },
    isDone: async ({ connection }) => (await connection.stored.session()).generation > 1,
    withinMs: 2 * MINUTE_MS,
  },
  {
    what: "the end of a send without an answer",
    begin: async ({ connection, session }) => {
      const sending = connection.send("hi").catch(() => undefined);
      await session.frames.next("command", ({ name }) => name === "send");
      await connection.crash();
      await sending;
    },
    isDone: async ({ connection }) => (await connection.stored.dispatchedSends()) === 0,
    withinMs: 2 * MINUTE_MS,
  },
  {
    what: "the email about an offline number",
    begin: ({ connection }) => connection.stored.addOwnerAlert(Date.now()),
    isDone: async ({ connection }) => (await connection.stored.untriedOwnerAlerts()) === 0,
    withinMs: MINUTE_MS,
  },
  {
    what: "the counts of an hour",
    begin: ({ session }) => session.commit([theirs("A")]),
    isDone: async ({ connection }) => (await connection.stored.pushedHours()) > 0,
    withinMs: 125 * MINUTE_MS,
  },
  {
    what: "the end of the previous signing secret",
    begin: ({ connection }) => connection.ask("webhook.rotate", {}),
    isDone: async ({ connection }) => (await connection.stored.signingSecrets()) === 1,
    withinMs: 26 * HOUR_MS,
  },
  {
    what: "the expiry of an Idempotency-Key",
    begin: ({ connection }) =>
      connection.ask(
        "webhook.put",
        { url: "https://hooks.example.net/other", events: null },
        { idempotencyKey: "once", flags: { mutating: true, counted: false, cached: false } },
      ),
    isDone: async ({ connection }) => (await connection.stored.idempotencyKeys()) === 0,
    withinMs: 25 * HOUR_MS,
  },
  {
    what: "the deletion of old deliveries",
    begin: async ({ session, attempts }) => {
      await session.commit([theirs("A")]);
      await vi.waitFor(() => expect(attempts()).toBe(1));
    },
    isDone: async ({ connection }) => (await connection.stored.deliveries()) === 0,
    withinMs: 7 * DAY_MS + 2 * HOUR_MS,
  },
  {
    what: "the deletion of old dedupe keys",
    begin: ({ connection }) => connection.stored.addDedupeKey(Date.now()),
    isDone: async ({ connection }) => (await connection.stored.dedupeKeys()) === 0,
    withinMs: 8 * DAY_MS + 2 * HOUR_MS,
  },
];

const MEMORIES = [
  ["kept in memory", true],
  ["evicted", false],
] as const;

async function worldOf(): Promise<World> {
  const world = await TestConnection.connected();
  const url = `https://hooks.example.net/${world.connection.uuid}`;
  const fetch = globalThis.fetch;
  let attempts = 0;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    if (input !== url) return fetch(input, init);
    attempts += 1;
    return new Response(null, { status: 500 });
  });
  await world.connection.ask("webhook.put", { url, events: ["message.received"] });
  return { ...world, attempts: () => attempts };
}

describe.each(SCENARIOS)("$what", ({ begin, isDone, withinMs }) => {
  it.each(MEMORIES)("goes on when the clock is right again: object %s", async (_memory, kept) => {
    const world = await worldOf();
    await begin(world);
    expect(await isDone(world)).toBe(false);
    vi.setSystemTime(NOW);
    if (!kept) await world.connection.evict();
    await world.connection.ask("instance.get", {});
    await world.connection.after(withinMs, { kept });
    await vi.waitFor(async () => expect(await isDone(world)).toBe(true));
  });
});
