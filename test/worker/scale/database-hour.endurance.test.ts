// D1 is away for an hour of fake time with 200 connected numbers: work without D1 continues, and the rest catches up.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import type { SendRequest } from "@gateway/protocol/content.ts";
import type { Env } from "#root/src/env.ts";
import { runWatchdog } from "#root/src/services/watchdog/watch.ts";
import { HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { FakeBridge, type FakeSession, pool } from "../fakes/bridge.ts";
import { event } from "../fakes/connection.ts";
import { acknowledged, theirText } from "../fakes/messages.ts";
import { holder, instanceOf } from "../support/accounts.ts";
import { evict, runAlarmsUntil } from "../support/eviction.ts";
import { failEverywhere, PASSING_ERRORS } from "../support/failing-database.ts";
import { gateway } from "../support/gateway.ts";

const NUMBERS = 200;
const BRIDGES = 4;
const STEP_MS = 15 * MINUTE_MS;
const WHOLE_MS = 600_000;

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const stubOf = (id: string) => env.CONNECTION.getByName(id);
const seconds = () => Math.floor(Date.now() / 1_000);

/** Runs a few at a time. */
async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
    }),
  );
}

/** The promises that the test waits for, by name. Any still open shortly before its end fail with their names. */
class Waits {
  readonly #open = new Map<symbol, string>();
  readonly #late = Promise.withResolvers<never>();
  readonly #timer = setTimeout(() => this.#late.reject(new Error(`still open: ${this.#names()}`)), WHOLE_MS * 0.9);

  constructor() {
    this.#late.promise.catch(() => undefined);
  }

  async until<T>(what: string, work: Promise<T>): Promise<T> {
    const wait = Symbol(what);
    this.#open.set(wait, what);
    try {
      return await Promise.race([work, this.#late.promise]);
    } finally {
      this.#open.delete(wait);
    }
  }

  /** Also fails when the session's socket closes. */
  whileOpen<T>(what: string, { frames, uuid }: FakeSession, work: Promise<T>): Promise<T> {
    const closed = frames.closed.then(({ code, reason }) => Promise.reject(new Error(`session ${uuid} was closed: ${code} ${reason}`)));
    return this.until(`${what} of ${uuid}`, Promise.race([work, closed]));
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #names(): string {
    return [...this.#open.values()].slice(0, 20).join(", ");
  }
}

it("during an hour without D1 no session is lost, messages go on, and waiting work is done afterwards", { timeout: WHOLE_MS }, async () => {
  vi.useFakeTimers({ now: Date.UTC(2033, 0, 1, 0, 5), toFake: ["Date"] });
  const waits = new Waits();
  onTestFinished(() => waits.end());
  const { call, who } = await holder(gateway(), NUMBERS);
  const bridges: FakeBridge[] = [];
  // Runs after a failure too; otherwise the pool would give the next attempt's sessions to these bridges.
  onTestFinished(() => {
    for (const bridge of bridges) bridge.leave();
  });
  for (let n = 0; n < BRIDGES; n += 1) bridges.push(await FakeBridge.dial({ capacity: NUMBERS / BRIDGES }));
  await pool().list();
  const numbers: { id: string; session: FakeSession }[] = [];
  for (let n = 0; n < NUMBERS; n += 1) {
    const { id } = await instanceOf(call);
    expect((await waits.until(`connect of ${id}`, call("POST", `/instances/${id}/connect`))).status).toBe(200);
    const session = await waits.until(`a session of ${id}`, Promise.race(bridges.map((bridge) => bridge.open(id as string))));
    await waits.whileOpen("the opening", session, session.commit([event.open()], [["creds|me", "1"]]));
    numbers.push({ id, session });
  }

  let [inbound, sent, failed, statements] = [0, 0, 0, 0];
  const receive = async ({ id, session }: (typeof numbers)[number]) => {
    const message = theirText(`3EB0${id.slice(0, 8)}${seconds()}`, "Bom dia", { timestamp: seconds() });
    await waits.whileOpen(
      "a received message",
      session,
      session.commit([{ key: `in:${message.message_id}`, event: { type: "message.upsert", origin: "live", message } }]),
    );
    inbound += 1;
  };
  const send = async ({ id, session }: (typeof numbers)[number]) => {
    const sending = call("POST", `/instances/${id}/messages/text`, { to: "5511900000002", text: "Bom dia" });
    const asked = waits.whileOpen("a command to send", session, session.answer("send")) as Promise<SendRequest>;
    const first = await Promise.race([asked, sending.then(({ status }) => status)]);
    if (typeof first === "number") {
      failed += 1;
      return;
    }
    const outcome = acknowledged(first.message_id, "Bom dia", { timestamp: seconds() });
    const settled = session.commit([{ key: null, event: { type: "send.settled", message_id: first.message_id, outcome } }]);
    await waits.whileOpen("a sent message", session, settled);
    const { status } = await waits.until(`the answer to a send of ${id}`, sending);
    if (status === 201) sent += 1;
    else failed += 1;
  };
  const passes = async () => {
    const until = Date.now() + STEP_MS;
    await each(numbers, ({ id }) => waits.until(`the eviction of ${id}`, evict(stubOf(id))));
    await evict(env.ACCOUNT_GUARD.getByName(who.user.id));
    vi.setSystemTime(until);
    await waits.until(
      "the watchdog without D1",
      runWatchdog(env as Env, until, "* * * * *").catch(() => undefined),
    );
    for (const bridge of bridges) bridge.say({ type: "load", sessions: NUMBERS / BRIDGES, rss_mb: 1, cpu: 0, away: 0, troubles: [] });
    await waits.until("the pool", pool().list());
  };

  await each(numbers, send);
  const before = { sent, failed };
  const outage = failEverywhere(() => ({ message: PASSING_ERRORS[(statements += 1) % PASSING_ERRORS.length] ?? "" }));
  const restored: string[] = [];
  try {
    for (let passed = 0; passed < HOUR_MS; passed += STEP_MS) {
      await each(numbers, receive);
      await each(numbers, send);
      await passes();
    }
    // These changes cannot reach the directory yet.
    for (const { id, session } of numbers.slice(0, 10)) {
      await waits.whileOpen("a log-out", session, session.commit([event.closed("logged_out", 401)]));
      restored.push(id);
    }
    expect((await call("GET", "/instances")).status).toBe(503);
  } finally {
    outage.end();
  }

  for (const { id } of numbers) await waits.until(`the alarms of ${id}`, runAlarmsUntil(stubOf(id), Date.now() + MINUTE_MS));
  await waits.until("the watchdog", runWatchdog(env as Env, Date.now()));
  const { bridges: listed } = await waits.until("the pool", pool().list());
  const assigned = listed.reduce((sum, bridge) => sum + bridge.assigned, 0);
  const rows = await env.DB.prepare(
    "SELECT s.status, count(*) AS n FROM connection_state s JOIN connection c ON c.id = s.connection_id WHERE c.owner_id = ? GROUP BY s.status",
  )
    .bind(who.user.id)
    .all<{ status: string; n: number }>();
  const statuses = Object.fromEntries(rows.results.map(({ status, n }) => [status, n]));
  const stored = await Promise.all(
    numbers.map(({ id }) =>
      runInDurableObject(
        stubOf(id),
        (_object, { storage }) => storage.sql.exec<{ n: number }>("SELECT count(*) AS n FROM messages").one().n,
      ),
    ),
  );
  console.log(
    `D1 away for an hour, ${NUMBERS} numbers: ${statements} statements failed, ${inbound} received, ${sent - before.sent} sent, ${failed} refused, ${assigned} sessions placed afterwards, directory ${JSON.stringify(statuses)}`,
  );
  expect(before).toEqual({ sent: NUMBERS, failed: 0 });
  expect(statements).toBeGreaterThan(0);
  expect(failed).toBe(0);
  expect(inbound).toBe((NUMBERS * HOUR_MS) / STEP_MS);
  expect(sent - before.sent).toBe((NUMBERS * HOUR_MS) / STEP_MS);
  expect(stored.reduce((sum, n) => sum + n, 0)).toBe(inbound + sent);
  expect(assigned).toBe(NUMBERS - restored.length);
  expect(statuses["connected"]).toBe(NUMBERS - restored.length);
});
