// The 7-day request log. Calls are buffered for a second and written as one row per ring buffer. A crash loses that second's calls.
import type { HandlersOf } from "../handlers.ts";
import { succeed, fail, type Outcome } from "@gateway/protocol/failures.ts";
import {
  type LoggedRequest,
  matches,
  type RequestFilter,
  type RequestSummary,
  type Ring,
  RING_SIZE,
  ringOf,
  RINGS,
  summaryOf,
} from "@gateway/domain/admission/request-log.ts";
import { FAILURE_RESPONSES } from "@gateway/domain/failures/responses.ts";
import { type Call, type CallResult, CALLER_KINDS, type RequestOutcome } from "@gateway/protocol/connection.ts";
import type { RequestRecord } from "@gateway/protocol/records.ts";
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";
import { errorFields, log } from "#root/src/log.ts";
import type { Migrations } from "../../shared/migrate.ts";
import { readNumber } from "../../shared/read-number.ts";

export const REQUEST_LOG_MIGRATIONS: Migrations = [
  // A row holds `size` consecutive calls of one ring buffer as JSON of LoggedCall[]. `last` is the number of the newest one.
  `CREATE TABLE request_log (
     ring INTEGER NOT NULL, last INTEGER NOT NULL, size INTEGER NOT NULL, ended_at INTEGER NOT NULL, entries TEXT NOT NULL,
     PRIMARY KEY (ring, last)
   ) WITHOUT ROWID`,
];

const RETENTION_MS = 7 * DAY_MS;
const WRITE_DELAY_MS = 1_000;
const MAX_GATHERED = 200;

/** `requestOf` turns these fields into a request. An array takes less space than an object, and a row holds many entries. */
type LoggedCall = [
  place: number,
  at: number,
  id: string,
  method: string,
  route: string,
  status: number,
  code: string | null,
  caller: number,
  key: string | null,
  ms: number,
  replayed: 0 | 1,
];

type Dependencies = {
  sql: SqlStorage;
  connection: string;
  keyOf: (hash: string) => string | null;
  keyNames: () => ReadonlyMap<string, string>;
  onAdded: () => void;
};

export class RequestLog {
  readonly #deps: Dependencies;
  #gathered: LoggedCall[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** The next call's number, which increases by one per call. Numbers lost in a crash were never returned to anyone. */
  #nextPlace: number | undefined;
  readonly #sizes = new Map<Ring, number>();
  #droppedAt = 0;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** Logs a completed call. Ignores calls without a valid key for this connection. `now` is in Unix ms. */
  add(call: Call, result: CallResult, now: number): void {
    const { caller, log: shown, method, requestId } = call;
    if (shown === undefined || (!result.ok && result.failure.code === "unauthorized")) return;
    const key = caller.kind === "connection_key" ? this.#deps.keyOf(caller.hash) : shown.name;
    const [status, code] = result.ok ? [shown.status, null] : [FAILURE_RESPONSES[result.failure.code].status, result.failure.code];
    const ms = Math.max(0, now - shown.receivedAt);
    const kind = CALLER_KINDS.indexOf(shown.caller);
    const replayed = result.replayed === true ? 1 : 0;
    this.#gathered.push([this.#takePlace(), shown.receivedAt, requestId, method, shown.route, status, code, kind, key, ms, replayed]);
    this.#deps.onAdded();
    if (this.#gathered.length >= MAX_GATHERED) this.#write();
    else this.#timer ??= setTimeout(() => this.#write(), WRITE_DELAY_MS);
  }

  /** Corrects a buffered call if the worker's response differed. Rows already written do not change. */
  amend({ id, status, code }: RequestOutcome): void {
    const entry = this.#gathered.find((gathered) => gathered[2] === id);
    if (entry !== undefined) [entry[5], entry[6]] = [status, code];
  }

  page(filter: RequestFilter, limit: number, before: number | null, now: number): { items: LoggedRequest[]; more: boolean } {
    const items: LoggedRequest[] = [];
    for (const request of this.#newestFirst(before ?? Number.MAX_SAFE_INTEGER, now)) {
      if (!matches(request, filter)) continue;
      if (items.length === limit) return { items, more: true };
      items.push(request);
    }
    return { items, more: false };
  }

  summary(now: number): RequestSummary {
    return summaryOf(this.#newestFirst(Number.MAX_SAFE_INTEGER, now));
  }

  find(id: string, now: number): Outcome<RequestRecord> {
    for (const { place: _place, ...request } of this.#newestFirst(Number.MAX_SAFE_INTEGER, now)) {
      if (request.id === id) return succeed(request);
    }
    return fail("request_not_found");
  }

  /** Stops the log, because nothing may be written for a removed connection. */
  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#gathered = [];
  }

  /** No alarm is needed, because expired rows are hidden, and deleted whenever the object is awake. */
  nextDue(): null {
    return null;
  }

  run(now: number): void {
    if (now - this.#droppedAt < HOUR_MS) return;
    this.#droppedAt = now;
    this.#deps.sql.exec("DELETE FROM request_log WHERE ended_at <= ?", now - RETENTION_MS);
    this.#sizes.clear();
  }

  #write(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const gathered = this.#gathered;
    this.#gathered = [];
    const now = Date.now();
    try {
      for (const [ring, entries] of Map.groupBy(gathered, ([, , , method, , status]) => ringOf({ method, status }))) {
        this.#store(ring, entries, now);
      }
      this.run(now);
    } catch (error) {
      // A failure is only logged, because a full disk must not break the object.
      log("requests.not_written", { connection: this.#deps.connection, ...errorFields(error) });
    }
  }

  #store(ring: Ring, entries: readonly LoggedCall[], now: number): void {
    const { sql } = this.#deps;
    const number = RINGS.indexOf(ring);
    let size = this.#sizeOf(ring) + entries.length;
    sql.exec(
      "INSERT INTO request_log (ring, last, size, ended_at, entries) VALUES (?, ?, ?, ?, ?)",
      number,
      entries.at(-1)?.[0] ?? 0,
      entries.length,
      now,
      JSON.stringify(entries),
    );
    while (size > RING_SIZE[ring]) {
      const query = "DELETE FROM request_log WHERE ring = ?1 AND last = (SELECT min(last) FROM request_log WHERE ring = ?1) RETURNING size";
      size -= sql.exec<{ size: number }>(query, number).one().size;
    }
    this.#sizes.set(ring, size);
  }

  #sizeOf(ring: Ring): number {
    const query = "SELECT ifnull(sum(size), 0) AS size FROM request_log WHERE ring = ?";
    return this.#sizes.get(ring) ?? this.#deps.sql.exec<{ size: number }>(query, RINGS.indexOf(ring)).one().size;
  }

  #takePlace(): number {
    const query = "SELECT ifnull(max(last), 0) AS last FROM request_log";
    this.#nextPlace ??= this.#deps.sql.exec<{ last: number }>(query).one().last + 1;
    return this.#nextPlace++;
  }

  *#newestFirst(below: number, now: number): Generator<LoggedRequest> {
    const names = this.#deps.keyNames();
    const sources = [this.#gathered.toReversed()[Symbol.iterator](), ...RINGS.map((ring) => this.#storedIn(ring, below))];
    const heads = sources.map((source) => source.next().value as LoggedCall | undefined);
    for (;;) {
      let newest = -1;
      for (const [index, head] of heads.entries()) {
        if (head !== undefined && (newest === -1 || head[0] > (heads[newest]?.[0] ?? 0))) newest = index;
      }
      const entry = heads[newest];
      if (entry === undefined) return;
      heads[newest] = sources[newest]?.next().value as LoggedCall | undefined;
      if (entry[0] < below && entry[1] > now - RETENTION_MS) yield requestOf(entry, names);
    }
  }

  *#storedIn(ring: Ring, below: number): Generator<LoggedCall, undefined> {
    const { sql } = this.#deps;
    const number = RINGS.indexOf(ring);
    // Rows do not overlap, so only the first row that ends at or above `below` can contain calls below it.
    const first = "SELECT min(last) FROM request_log WHERE ring = ? AND last >= ?";
    let last = (readNumber(sql, first, number, below) ?? Number.MAX_SAFE_INTEGER - 1) + 1;
    const query = "SELECT last, entries FROM request_log WHERE ring = ? AND last < ? ORDER BY last DESC LIMIT 20";
    for (;;) {
      const rows = sql.exec<{ last: number; entries: string }>(query, number, last).toArray();
      for (const row of rows) {
        last = row.last;
        for (const entry of (JSON.parse(row.entries) as LoggedCall[]).reverse()) if (entry[0] < below) yield entry;
      }
      if (rows.length === 0) return undefined;
    }
  }
}

function requestOf(
  [place, at, id, method, route, status, code, caller, key, ms, replayed]: LoggedCall,
  names: ReadonlyMap<string, string>,
) {
  const kind = CALLER_KINDS[caller] ?? "key";
  const shown = kind === "key" ? { kind, key_id: key, name: names.get(key ?? "") ?? null } : { kind, key_id: null, name: key };
  return { place, id, at, method, route, status, code, caller: shown, ms, replayed: replayed === 1 } satisfies LoggedRequest;
}

export function requestHandlers(requests: RequestLog): HandlersOf<"requests.list" | "requests.summary" | "requests.get"> {
  return {
    "requests.list": ({ limit, before, ...filter }, { now }) => succeed(requests.page(filter, limit, before, now)),
    "requests.summary": (_input, { now }) => succeed(requests.summary(now)),
    "requests.get": ({ id }, { now }) => requests.find(id, now),
  };
}
