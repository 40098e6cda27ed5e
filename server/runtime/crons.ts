// Calls the worker's scheduled handler as the platform does, once per matching minute for each expression. Skips missed minutes.
import type { Miniflare } from "miniflare";
import { MINUTE_MS } from "@gateway/protocol/units.ts";

const RANGES = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
] as const;

/** True if the UTC minute matches. Fields are numbers, `*`, ranges, steps and lists. */
export function cronMatches(expression: string, at: Date): boolean {
  const fields = expression.trim().split(/\s+/);
  const values = [at.getUTCMinutes(), at.getUTCHours(), at.getUTCDate(), at.getUTCMonth() + 1, at.getUTCDay()];
  return (
    fields.length === RANGES.length && fields.every((field, index) => fieldMatches(field, values[index] ?? 0, RANGES[index] ?? RANGES[0]))
  );
}

function fieldMatches(field: string, value: number, [lowest, highest]: readonly [number, number]): boolean {
  return field.split(",").some((part) => {
    const [, range = "", first, last, step] = /^(\*|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/.exec(part) ?? [];
    if (range === "") throw new Error(`the cron expression has an unknown field: ${part}`);
    const from = first === undefined ? lowest : Number(first);
    const to = last !== undefined ? Number(last) : first === undefined || step !== undefined ? highest : from;
    return value >= from && value <= to && (value - from) % Number(step ?? 1) === 0;
  });
}

/** Also runs every job at startup, because the machine may have been down for long and the self-check reports jobs that never ran. */
export function startCrons(runtime: Pick<Miniflare, "dispatchFetch">, worker: string, expressions: readonly string[]): () => void {
  let timer: NodeJS.Timeout;
  let lastMinute = Math.floor(Date.now() / MINUTE_MS);
  for (const expression of expressions) void runScheduled(runtime, worker, expression, new Date(lastMinute * MINUTE_MS));
  const run = () => {
    const minute = Math.floor(Date.now() / MINUTE_MS);
    // Timers may fire early, and a minute may repeat if the clock is set back.
    if (minute > lastMinute || minute < lastMinute - 1) {
      lastMinute = minute;
      const at = new Date(minute * MINUTE_MS);
      for (const expression of expressions) if (cronMatches(expression, at)) void runScheduled(runtime, worker, expression, at);
    }
    wait();
  };
  const wait = () => {
    timer = setTimeout(run, MINUTE_MS - (Date.now() % MINUTE_MS));
  };
  wait();
  return () => clearTimeout(timer);
}

async function runScheduled(runtime: Pick<Miniflare, "dispatchFetch">, worker: string, cron: string, at: Date): Promise<void> {
  const query = new URLSearchParams({ cron, time: String(at.getTime()) });
  try {
    const response = await runtime.dispatchFetch(`http://localhost/cdn-cgi/local/scheduled?${query.toString()}`, {
      headers: { "MF-Route-Override": worker },
    });
    if (!response.ok) throw new Error(`answered ${response.status}`);
    await response.text();
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ event: "cron.failed", level: "error", cron, error: String(error) })}\n`);
  }
}
