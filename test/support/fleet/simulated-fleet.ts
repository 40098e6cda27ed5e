// Connections on simulated bridges, and their recovery after all bridges are killed or the worker restarts.
import { setTimeout as pause } from "node:timers/promises";
import { person } from "../clients.ts";
import type { Sandbox } from "../sandbox.ts";
import type { SimulatedBridges } from "./simulated-bridges.ts";

/** Creating a connection costs more the larger its account is. */
const PER_ACCOUNT = 20;
const CONCURRENCY = 6;
/** More frequent polling would distort the measurement. */
const ASK_MS = 250;

/** Response of `GET /sandbox/storage`. */
export type StorageCounts = { d1_statements: number; rows: Record<"pool" | "connections", { read: number; written: number }> };

export async function storageCounts(sandbox: Sandbox): Promise<StorageCounts> {
  const answer = await fetch(`${sandbox.ready().app_url}/sandbox/storage`);
  return ((await answer.json()) as { data: StorageCounts }).data;
}

export function countsSince(before: StorageCounts, after: StorageCounts): StorageCounts {
  const rowsOf = (part: "pool" | "connections") => ({
    read: after.rows[part].read - before.rows[part].read,
    written: after.rows[part].written - before.rows[part].written,
  });
  return {
    d1_statements: after.d1_statements - before.d1_statements,
    rows: { pool: rowsOf("pool"), connections: rowsOf("connections") },
  };
}

/** Pauses the sandbox's own bridge, which would otherwise accept sessions; the pool then drops it. */
export function pauseOwnBridge(sandbox: Sandbox): () => void {
  const own = sandbox.ready().processes.bridge;
  process.kill(own, "SIGSTOP");
  return () => process.kill(own, "SIGCONT");
}

/** Creates and connects this many connections, but starts no more after `withinMs`. Returns the number created. */
export async function makeConnections(sandbox: Sandbox, count: number, withinMs = Number.POSITIVE_INFINITY): Promise<number> {
  const deadline = performance.now() + withinMs;
  const ready = sandbox.ready();
  const accounts = await Promise.all(
    Array.from({ length: Math.ceil(count / PER_ACCOUNT) }, (_, n) => person(ready, `fleet-${n}@example.com`)),
  );
  let next = 0;
  let made = 0;
  const work = async (): Promise<void> => {
    for (let n = next++; n < count && performance.now() < deadline; n = next++) {
      const token = accounts[n % accounts.length]?.token ?? "";
      const { id } = await post(`${ready.app_url}/api/dashboard/connections`, token, { name: `Simulated ${n}` });
      await post(`${ready.app_url}/api/dashboard/connections/${id}/connect`, token);
      made += 1;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return made;
}

/** Skips the journeys' response checks, because there are thousands of calls. */
async function post(url: string, token: string, body: object = {}): Promise<{ id: number }> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`POST ${url}: ${answer.status} ${text}`);
  return (JSON.parse(text) as { data: { id: number } }).data;
}

/** Waits for this count or the timeout; returns the count reached. */
async function reach(count: number, withinMs: number, ask: () => Promise<number>): Promise<number> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const reached = await ask();
    if (reached >= count || performance.now() > deadline) return reached;
    await pause(ASK_MS);
  }
}

/** Waits until these bridges have opened this many sessions, or the timeout; returns the number. */
export function opened(bridges: SimulatedBridges, count: number, withinMs: number): Promise<number> {
  return reach(count, withinMs, async () => (await bridges.counts()).opened);
}

/** Fails unless all sessions open in time. */
export async function allOpen(bridges: SimulatedBridges, count: number, withinMs: number): Promise<void> {
  const reached = await opened(bridges, count, withinMs);
  if (reached < count) throw new Error(`not within ${withinMs} ms: ${count} sessions on the bridges, but ${reached}`);
}

/** Seconds from `at` to the last of these times, and to their median. */
export function timesAfter(at: number, times: readonly (readonly [string, number])[]): { half: number; last: number } {
  const seconds = times.map(([, time]) => (time - at) / 1_000).sort((one, other) => one - other);
  return { half: seconds[Math.floor(seconds.length / 2)] ?? Number.NaN, last: seconds.at(-1) ?? Number.NaN };
}

export type Restarted = {
  killedAt: number;
  /** Sessions whose own bridge redialled, with the time. */
  redialled: [string, number][];
  /** Sessions that any bridge opened again. */
  moved: number;
  /** Sum of `redialled` and `moved`; less than the number of sessions if the wait timed out. */
  back: number;
};

type RestartTimes = {
  withinMs?: number;
  /** Once all sessions are back, no session may move after this time. */
  settleMs: number;
};

/** Kills the worker, which is restarted. Waits until every session is back and none can move any more. */
export async function restartWorker(
  sandbox: Sandbox,
  bridges: SimulatedBridges,
  count: number,
  { withinMs = 1_800_000, settleMs }: RestartTimes,
): Promise<Restarted> {
  const { opens, redials } = await bridges.counts();
  const killedAt = Date.now();
  process.kill(sandbox.ready().processes.worker, "SIGKILL");
  const back = async (): Promise<number> => {
    const now = await bridges.counts();
    return now.redials - redials + now.opens - opens;
  };
  await reach(count, withinMs, back);
  await pause(settleMs);
  const { redialled, ...now } = await bridges.report();
  return { killedAt, redialled: redialled.filter(([, at]) => at > killedAt), moved: now.opens - opens, back: await back() };
}
