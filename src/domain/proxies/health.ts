// A proxy's health, derived from its checks (docs/operate/proxies.md, "Proxies").
import type { PastCheck, ProxyCheckResult, ProxyError, ProxyStatus } from "@gateway/protocol/bridge-socket.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";

/** Times are in Unix ms. `exitCheckedAt` is when the exit address was last found. `outageAt` is when the current outage began, or null. */
export type ProxyHealth = {
  status: ProxyStatus;
  latencyMs: number | null;
  exitIp: string | null;
  exitCountry: string | null;
  exitCheckedAt: number | null;
  consecutiveFailures: number;
  pastChecks: readonly PastCheck[];
  checkedAt: number | null;
  lastError: ProxyError | null;
  outageAt: number | null;
};

export const UNKNOWN_HEALTH: ProxyHealth = {
  status: "unknown",
  latencyMs: null,
  exitIp: null,
  exitCountry: null,
  exitCheckedAt: null,
  consecutiveFailures: 0,
  pastChecks: [],
  checkedAt: null,
  lastError: null,
  outageAt: null,
};

export const FAILURES_UNTIL_DOWN = 3;
/** Number of consecutive successful checks that end an outage, so that an unstable proxy causes only one outage. */
const SUCCESSES_UNTIL_BACK = 3;
const HEALTHY_RATE = 0.9;
const HEALTHY_LATENCY_MS = 5_000;
const MAX_PAST_CHECKS = 120;
const EXIT_AGE_MS = 10 * 60_000;

export type ProxyNews = "down" | "back" | null;

export function afterCheck(before: ProxyHealth, result: ProxyCheckResult, now: number): { health: ProxyHealth; news: ProxyNews } {
  const recent = before.pastChecks.filter(([at]) => at > now - HOUR_MS);
  const pastChecks: PastCheck[] = [...recent, [now, result.ok ? 1 : 0] as const].slice(-MAX_PAST_CHECKS);
  const consecutiveFailures = result.ok ? 0 : before.consecutiveFailures + 1;
  const latencyMs = result.ok ? result.latency_ms : before.latencyMs;
  const status = statusOf(consecutiveFailures, pastChecks, latencyMs);
  const outageAt = outageAfter(before.outageAt, status, pastChecks, now);
  const exit = result.ok ? result.exit : null;
  return {
    health: {
      status,
      latencyMs,
      exitIp: exit === null ? before.exitIp : exit.ip,
      exitCountry: exit === null ? before.exitCountry : exit.country,
      exitCheckedAt: exit === null ? before.exitCheckedAt : now,
      consecutiveFailures,
      pastChecks,
      checkedAt: now,
      lastError: result.ok ? null : result.error,
      outageAt,
    },
    news: outageAt === before.outageAt ? null : outageAt === null ? "back" : "down",
  };
}

export function successRate(pastChecks: readonly PastCheck[], now: number): number | null {
  const recent = pastChecks.filter(([at]) => at > now - HOUR_MS);
  return recent.length === 0 ? null : Math.round((recent.filter(([, ok]) => ok === 1).length / recent.length) * 1_000) / 1_000;
}

/** The exit address is not looked up on every check, because each look-up is proxy traffic, which may cost money. */
export function needsExit({ exitCheckedAt, consecutiveFailures }: ProxyHealth, now: number): boolean {
  return exitCheckedAt === null || consecutiveFailures > 0 || now - exitCheckedAt >= EXIT_AGE_MS;
}

function statusOf(consecutiveFailures: number, pastChecks: readonly PastCheck[], latencyMs: number | null): ProxyStatus {
  if (consecutiveFailures >= FAILURES_UNTIL_DOWN) return "down";
  const rate = pastChecks.filter(([, ok]) => ok === 1).length / pastChecks.length;
  const slow = latencyMs !== null && latencyMs > HEALTHY_LATENCY_MS;
  return consecutiveFailures > 0 || rate < HEALTHY_RATE || slow ? "degraded" : "healthy";
}

function outageAfter(outageAt: number | null, status: ProxyStatus, pastChecks: readonly PastCheck[], now: number): number | null {
  if (outageAt === null) return status === "down" ? now : null;
  const last = pastChecks.slice(-SUCCESSES_UNTIL_BACK);
  return last.length === SUCCESSES_UNTIL_BACK && last.every(([, ok]) => ok === 1) ? null : outageAt;
}
