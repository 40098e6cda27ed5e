// Current problems of a deployment, for the operator's page (docs/operate/now.md, "What it lists").
import type { StatusReason } from "../instance/state.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";
import { type Counts, countsBy } from "../statistics/counts.ts";
import { isOpen } from "./shards.ts";
import { FAILURE_RESPONSES } from "../failures/responses.ts";
import { FailureCode } from "@gateway/protocol/failures.ts";

export const FAULT_KINDS = ["check", "alarm", "shard", "proxy", "number", "webhook", "calls"] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export type FaultyInstance = { id: string; name: string; phone: string | null; owner: { id: string; email: string } };

/**
 * `code` is the check, alarm, error or status reason. `subject` is the affected thing, unless it is an instance. `since` is in Unix ms, or
 * null if unknown. `count` counts sessions, numbers or failures, depending on the kind.
 */
export type Fault = {
  kind: FaultKind;
  code: string;
  subject: string | null;
  proxyId?: string;
  detail: string | null;
  since: number | null;
  count: number | null;
  instance: FaultyInstance | null;
};

/** Reasons that an operator should look into. All other reasons are an owner's choice or part of pairing. */
const TROUBLED: ReadonlySet<StatusReason> = new Set<StatusReason>([
  "logged_out",
  "replaced",
  "waiting_for_update",
  "restricted",
  "banned",
  "locked",
  "temporarily_banned",
  "bad_session",
  "reconnect_exhausted",
  "proxy_error",
  "client_outdated",
  "multidevice_mismatch",
  "cloud_token_invalid",
  "internal",
]);
export const TROUBLED_REASONS: readonly string[] = [...TROUBLED];

/** Deployment-wide problems come first, followed by the newest ones. */
export function inOrder(faults: readonly Fault[]): Fault[] {
  const isShared = ({ kind }: Fault): number => Number(kind === "check" || kind === "alarm" || kind === "shard");
  return faults.toSorted((a, b) => isShared(b) - isShared(a) || (b.since ?? 0) - (a.since ?? 0));
}

export type ShardReport = { name: string; connections: number; bridges: number; writtenAt: number };

/** Shards report every minute. A shard that has been silent for this long is a fault. */
const SILENT_MS = HOUR_MS / 4;

export function shardFaults(shards: readonly ShardReport[], now: number): Fault[] {
  return shards.flatMap(({ name, connections, bridges, writtenAt }) => {
    const code = !isOpen(connections)
      ? "full"
      : connections > 0 && bridges === 0
        ? "no_bridge"
        : connections > 0 && now - writtenAt > SILENT_MS
          ? "silent"
          : null;
    const since = code === "silent" && writtenAt > 0 ? writtenAt : null;
    return code === null ? [] : [{ kind: "shard", code, subject: name, detail: null, since, count: connections, instance: null }];
  });
}

/** One hour's counts for an instance. `at` is the start of the hour. */
export type CountedFailures = { at: number; counts: Counts; instance: FaultyInstance };

const WEBHOOK = "webhook_";
const QUEUE_FULL = "webhook_queue_full";

/** Refusals with a status below 500 are the caller's fault, except for these codes. */
const OPERATORS: ReadonlySet<FailureCode> = new Set<FailureCode>(["send_outcome_unknown", "temporarily_blocked"]);

function isCallers(code: string): boolean {
  const known = FailureCode.safeParse(code);
  return known.success && FAILURE_RESPONSES[known.data].status < 500 && !OPERATORS.has(known.data);
}

/** One fault per instance for its webhooks (most attempts failed, or deliveries were given up), and one for its calls and sends. */
export function countedFaults(hours: readonly CountedFailures[]): Fault[] {
  return [...Map.groupBy(hours, ({ instance }) => instance.id).values()].flatMap((rows) => {
    const [first] = rows;
    if (first === undefined) return [];
    const errors: Record<string, number> = {};
    let [attempts, lost] = [0, 0];
    for (const { counts } of rows) {
      for (const [code, count] of Object.entries(countsBy(counts, "error"))) errors[code] = (errors[code] ?? 0) + count;
      attempts += counts["attempts"] ?? 0;
      lost += (counts["given_up"] ?? 0) + (counts["disabled"] ?? 0);
    }
    const since = Math.min(...rows.map(({ at }) => at));
    const [webhook, calls] = [mostFrequent(errors, true), mostFrequent(errors, false)];
    const fault = { subject: null, detail: null, since, instance: first.instance };
    return [
      ...(webhook.count > 0 && (lost > 0 || webhook.count * 2 > attempts) ? [{ ...fault, kind: "webhook" as const, ...webhook }] : []),
      ...(calls.count > 0 ? [{ ...fault, kind: "calls" as const, ...calls }] : []),
    ];
  });
}

/** The most frequent code with the total number of failures. A full queue takes precedence, because its deliveries are lost. */
function mostFrequent(errors: Readonly<Record<string, number>>, ofWebhooks: boolean): { code: string; count: number } {
  const dropped = errors[QUEUE_FULL] ?? 0;
  if (ofWebhooks && dropped > 0) return { code: QUEUE_FULL, count: dropped };
  const counted = Object.entries(errors).filter(([code]) => code.startsWith(WEBHOOK) === ofWebhooks && !isCallers(code));
  const [code = ""] = counted.toSorted(([, a], [, b]) => b - a)[0] ?? [];
  return { code, count: counted.reduce((sum, [, count]) => sum + count, 0) };
}
