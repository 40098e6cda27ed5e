// A proxy's health, derived from its checks (docs/operate/proxies.md, "Proxies").
import type { PastCheck, ProxyCheckResult, ProxyError, ProxyStatus } from "@gateway/protocol/bridge-socket.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";

/** Unix ms. `exitCheckedAt`: when the exit address was last found. `outageAt`: start of the current outage; null if the proxy is up. */
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
/** Consecutive successful checks that end an outage, so that a flapping proxy counts as one outage. */
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

// Emails about proxies, for owners and administrators. They contain no address or credential.

/** `connections`: names of the recipient's connections on the proxy. `label`: shown only to administrators. */
export type ProxyNotice = { news: Exclude<ProxyNews, null>; label: string | null; assigned: number; connections: readonly string[] };

const MAX_NAMES = 50;

export function proxyMail(notices: readonly ProxyNotice[]): { subject: string; text: string } {
  const down = notices.filter(({ news }) => news === "down");
  const back = notices.filter(({ news }) => news === "back");
  const subject = down.length > 0 ? "Proxy fora do ar / Proxy down" : "Proxy de volta / Proxy back";
  const portuguese = [...down.map(downInPortuguese), ...back.map(backInPortuguese)];
  const english = [...down.map(downInEnglish), ...back.map(backInEnglish)];
  return { subject, text: [...portuguese, "---", ...english].join("\n\n") };
}

function downInPortuguese({ label, assigned, connections }: ProxyNotice): string {
  return paragraphs(
    label === null ? null : `O proxy "${label}" não responde: três verificações seguidas falharam. Conexões nele: ${assigned}.`,
    connections.length === 0
      ? null
      : `O proxy destas suas conexões não responde, e elas não conseguem se conectar: ${named(connections, "e mais")}. Escolha outro proxy para elas, ou espere até que um administrador faça isso. Com outro proxy, elas se reconectam sozinhas, sem novo pareamento.`,
  );
}

function backInPortuguese({ label, connections }: ProxyNotice): string {
  return paragraphs(
    label === null ? null : `O proxy "${label}" voltou a responder.`,
    connections.length === 0
      ? null
      : `O proxy destas suas conexões voltou a responder: ${named(connections, "e mais")}. Se alguma parou por causa dele, clique em Reconectar.`,
  );
}

function downInEnglish({ label, assigned, connections }: ProxyNotice): string {
  return paragraphs(
    label === null ? null : `The proxy "${label}" does not respond: three checks in a row have failed. Connections on it: ${assigned}.`,
    connections.length === 0
      ? null
      : `The proxy of these connections does not respond, so they cannot connect: ${named(connections, "and")}. Choose another proxy for them, or wait until an administrator does. With another proxy they reconnect on their own, without pairing again.`,
  );
}

function backInEnglish({ label, connections }: ProxyNotice): string {
  return paragraphs(
    label === null ? null : `The proxy "${label}" responds again.`,
    connections.length === 0
      ? null
      : `The proxy of these connections responds again: ${named(connections, "and")}. If one of them stopped because of it, click Reconnect.`,
  );
}

function named(connections: readonly string[], and: string): string {
  const shown = connections.slice(0, MAX_NAMES).map((name) => `"${name}"`);
  const rest = connections.length - shown.length;
  return shown.join(", ") + (rest > 0 ? ` ${and} ${rest}` : "");
}

function paragraphs(...parts: (string | null)[]): string {
  return parts.filter((part) => part !== null).join("\n");
}
