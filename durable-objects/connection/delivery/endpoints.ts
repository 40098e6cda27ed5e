// Receivers of this connection's events: its own webhook (Connection API) and copies of the account's endpoints (Account API).
import { type ReceiverHealth, withoutFailures } from "@gateway/domain/webhooks/delivery.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";
import type { StyleName } from "@gateway/domain/webhooks/style/style.ts";

export type EndpointSettings = {
  url: string;
  events: readonly string[];
  headers: Readonly<Record<string, string>>;
  retries: number;
  timeoutMs: number;
  active: boolean;
};

/** `queueId` identifies the endpoint's queue. Times are in Unix ms. `testedAt` is when a test event was last accepted. */
export type Endpoint = EndpointSettings & {
  queueId: number;
  style: StyleName;
  id: string;
  createdAt: number;
  health: ReceiverHealth;
  disabledAt: number | null;
  testedAt: number | null;
  /** Event types that were available when `events` was chosen. Only for the connection's own webhook. */
  offered: readonly string[];
};

type EndpointRow = {
  queue_id: number;
  style: StyleName;
  id: string;
  url: string;
  events: string;
  headers: string;
  retries: number;
  timeout_ms: number;
  active: number;
  created_at: number;
  first_failed_at: number | null;
  last_failed_at: number | null;
  last_success_at: number | null;
  unreachable: number;
  recovering: number;
  disabled_at: number | null;
  tested_at: number | null;
  offered: string;
};

/** Returns true if attempts are off, because the customer switched the endpoint off or 72 hours of failures disabled it. */
export function isClosed(endpoint: Endpoint): boolean {
  return !endpoint.active || endpoint.disabledAt !== null;
}

/** The last success is written at most this often. Between writes, it is derived from the deliveries (`History.lastAccepted`). */
const SUCCESS_WRITE_INTERVAL_MS = HOUR_MS;
/** The last failure is written at most this often, because only its age in days matters. */
const FAILURE_WRITE_INTERVAL_MS = HOUR_MS;

/** The endpoint table, cached in memory, because it is read for every event and rarely changed. Only this class writes it. */
export class Endpoints {
  readonly #sql: SqlStorage;
  readonly #byQueue = new Map<number, Endpoint>();
  readonly #removed = new Set<number>();
  readonly #successWrittenAt = new Map<number, number>();
  readonly #failureWrittenAt = new Map<number, number>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    for (const row of sql.exec<EndpointRow>("SELECT * FROM endpoint WHERE removed = 0 ORDER BY queue_id")) {
      this.#byQueue.set(row.queue_id, endpointOf(row));
      this.#successWrittenAt.set(row.queue_id, row.last_success_at ?? 0);
      this.#failureWrittenAt.set(row.queue_id, row.last_failed_at ?? 0);
    }
    for (const row of sql.exec<{ queue_id: number }>("SELECT queue_id FROM endpoint WHERE removed = 1")) this.#removed.add(row.queue_id);
  }

  all(): Iterable<Endpoint> {
    return this.#byQueue.values();
  }

  get(queueId: number): Endpoint | null {
    return this.#byQueue.get(queueId) ?? null;
  }

  find(style: StyleName, id: string): Endpoint | null {
    for (const endpoint of this.#byQueue.values()) if (endpoint.style === style && endpoint.id === id) return endpoint;
    return null;
  }

  ofStyle(style: StyleName): Endpoint[] {
    return [...this.#byQueue.values()].filter((endpoint) => endpoint.style === style);
  }

  add(style: StyleName, id: string, settings: EndpointSettings, now: number): Endpoint {
    const { url, events, headers, retries, timeoutMs, active } = settings;
    const row = this.#sql
      .exec<EndpointRow>(
        `INSERT INTO endpoint (style, id, url, events, headers, retries, timeout_ms, active, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
         RETURNING *`,
        style,
        id,
        url,
        JSON.stringify(events),
        JSON.stringify(headers),
        retries,
        timeoutMs,
        Number(active),
        now,
      )
      .one();
    return this.#cache(endpointOf(row));
  }

  /** Changes the settings. A new URL must be tested before the endpoint can be reactivated, and does not inherit the old URL's failures. */
  change(endpoint: Endpoint, settings: EndpointSettings): Endpoint {
    const { url, events, headers, retries, timeoutMs, active } = settings;
    const sameUrl = url === endpoint.url;
    const testedAt = sameUrl ? endpoint.testedAt : null;
    this.#sql.exec(
      "UPDATE endpoint SET url = ?, events = ?, headers = ?, retries = ?, timeout_ms = ?, active = ?, tested_at = ? WHERE queue_id = ?",
      url,
      JSON.stringify(events),
      JSON.stringify(headers),
      retries,
      timeoutMs,
      Number(active),
      testedAt,
      endpoint.queueId,
    );
    const changed = this.#cache({ ...endpoint, ...settings, testedAt });
    return sameUrl ? changed : this.setHealth(changed, { ...withoutFailures(endpoint.health), recovering: 0 });
  }

  setOffered(endpoint: Endpoint, offered: readonly string[]): Endpoint {
    this.#sql.exec("UPDATE endpoint SET offered = ? WHERE queue_id = ?", JSON.stringify(offered), endpoint.queueId);
    return this.#cache({ ...endpoint, offered });
  }

  /** Writes immediately when a receiver starts or stops failing, and otherwise at most once an hour. */
  setHealth(endpoint: Endpoint, health: ReceiverHealth): Endpoint {
    const { firstFailedAt, lastFailedAt, lastSuccessAt, unreachable, recovering } = health;
    const before = endpoint.health;
    const { queueId } = endpoint;
    const same = before.firstFailedAt === firstFailedAt && before.unreachable === unreachable && before.recovering === recovering;
    const succeededLater = (lastSuccessAt ?? 0) - (this.#successWrittenAt.get(queueId) ?? 0) >= SUCCESS_WRITE_INTERVAL_MS;
    const failedLater = (lastFailedAt ?? 0) - (this.#failureWrittenAt.get(queueId) ?? 0) >= FAILURE_WRITE_INTERVAL_MS;
    if (!same || succeededLater || failedLater) {
      this.#sql.exec(
        "UPDATE endpoint SET first_failed_at = ?, last_failed_at = ?, last_success_at = ?, unreachable = ?, recovering = ? WHERE queue_id = ?",
        firstFailedAt,
        lastFailedAt,
        lastSuccessAt,
        unreachable,
        recovering,
        queueId,
      );
      this.#successWrittenAt.set(queueId, lastSuccessAt ?? 0);
      this.#failureWrittenAt.set(queueId, lastFailedAt ?? 0);
    }
    return this.#cache({ ...endpoint, health });
  }

  /** Returns true once an hour. The caller then notifies the account's guard that this endpoint is failing. */
  claimNotice(queueId: number, hour: number): boolean {
    const claimed = "UPDATE endpoint SET notified_hour = ?2 WHERE queue_id = ?1 AND notified_hour IS NOT ?2";
    return this.#sql.exec(claimed, queueId, hour).rowsWritten > 0;
  }

  releaseNotice(queueId: number): void {
    this.#sql.exec("UPDATE endpoint SET notified_hour = NULL WHERE queue_id = ?", queueId);
  }

  disable(endpoint: Endpoint, now: number): Endpoint {
    this.#sql.exec("UPDATE endpoint SET disabled_at = ? WHERE queue_id = ?", now, endpoint.queueId);
    return this.#cache({ ...endpoint, disabledAt: now });
  }

  reactivate(endpoint: Endpoint): Endpoint {
    this.#sql.exec("UPDATE endpoint SET disabled_at = NULL WHERE queue_id = ?", endpoint.queueId);
    return this.setHealth(this.#cache({ ...endpoint, disabledAt: null }), withoutFailures(endpoint.health));
  }

  setTested(endpoint: Endpoint, now: number): Endpoint {
    this.#sql.exec("UPDATE endpoint SET tested_at = ? WHERE queue_id = ?", now, endpoint.queueId);
    return this.setHealth(this.#cache({ ...endpoint, testedAt: now }), withoutFailures(endpoint.health));
  }

  forgetFailures(endpoint: Endpoint): void {
    this.setHealth(endpoint, withoutFailures(endpoint.health));
  }

  /** Removes the endpoint immediately. Its deliveries are deleted later (`removedQueues`). */
  remove(endpoint: Endpoint): void {
    this.#sql.exec("UPDATE endpoint SET removed = 1 WHERE queue_id = ?", endpoint.queueId);
    this.#byQueue.delete(endpoint.queueId);
    this.#removed.add(endpoint.queueId);
  }

  /** Drops an endpoint from memory, because the transaction that added it was rolled back. */
  rolledBack(queueId: number): void {
    this.#byQueue.delete(queueId);
  }

  removedQueues(): Iterable<number> {
    return this.#removed;
  }

  forget(queueId: number): void {
    this.#sql.exec("DELETE FROM endpoint WHERE queue_id = ? AND removed = 1", queueId);
    this.#removed.delete(queueId);
  }

  #cache(endpoint: Endpoint): Endpoint {
    this.#byQueue.set(endpoint.queueId, endpoint);
    return endpoint;
  }
}

function endpointOf(row: EndpointRow): Endpoint {
  return {
    queueId: row.queue_id,
    style: row.style,
    id: row.id,
    url: row.url,
    events: JSON.parse(row.events) as string[],
    headers: JSON.parse(row.headers) as Record<string, string>,
    retries: row.retries,
    timeoutMs: row.timeout_ms,
    active: row.active === 1,
    createdAt: row.created_at,
    health: {
      firstFailedAt: row.first_failed_at,
      lastFailedAt: row.last_failed_at,
      lastSuccessAt: row.last_success_at,
      unreachable: row.unreachable,
      recovering: row.recovering,
    },
    disabledAt: row.disabled_at,
    testedAt: row.tested_at,
    offered: JSON.parse(row.offered) as string[],
  };
}
