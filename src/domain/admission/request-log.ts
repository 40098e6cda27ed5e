// How a connection's request log selects and groups calls (docs/internals/requests.md, "Request log").
import type { RefusalGroup, RequestRecord } from "@gateway/protocol/records.ts";

export type LoggedRequest = RequestRecord & { place: number };

/** Each group has its own ring buffer, so that frequent calls do not evict rarer, more interesting ones. */
export const RINGS = ["reads", "limited", "others"] as const;
export type Ring = (typeof RINGS)[number];

export const RING_SIZE: Readonly<Record<Ring, number>> = { reads: 5_000, limited: 5_000, others: 10_000 };

export function ringOf({ method, status }: Pick<RequestRecord, "method" | "status">): Ring {
  if (status === 429) return "limited";
  return status < 400 && (method === "GET" || method === "HEAD") ? "reads" : "others";
}

/** Null means no filter. `caller` is the id of a key, a kind of caller, or `programs` for every kind except the dashboard. */
export type RequestFilter = {
  status: { from: number; to: number } | null;
  code: string | null;
  route: string | null;
  caller: string | null;
};

export function matches({ status, code, route, caller }: RequestRecord, filter: RequestFilter): boolean {
  if (filter.status !== null && (status < filter.status.from || status > filter.status.to)) return false;
  if (filter.code !== null && code !== filter.code) return false;
  if (filter.route !== null && route !== filter.route) return false;
  if (filter.caller === "programs") return caller.kind !== "dashboard";
  return filter.caller === null || filter.caller === caller.key_id || filter.caller === caller.kind;
}

export type RequestSummary = {
  total: number;
  refusals: RefusalGroup[];
  routes: string[];
  callers: RequestRecord["caller"][];
};

export function summaryOf(requests: Iterable<LoggedRequest>): RequestSummary {
  let total = 0;
  const groups = new Map<string, RefusalGroup>();
  const routes = new Set<string>();
  const callers = new Map<string, RequestRecord["caller"]>();
  for (const { id, at, method, route, status, code, caller } of requests) {
    total += 1;
    routes.add(route);
    callers.set(caller.key_id ?? caller.kind, caller.kind === "account_key" ? { ...caller, name: null } : caller);
    if (status < 400) continue;
    const name = `${method} ${route} ${status} ${code}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, { method, route, status, code, count: 1, last_at: at, last: id });
    else group.count += 1;
  }
  return {
    total,
    refusals: [...groups.values()].sort((one, other) => other.count - one.count || other.last_at - one.last_at),
    routes: [...routes].sort(),
    callers: [...callers.values()],
  };
}
