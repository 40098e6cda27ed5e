// A connection for one test, and its bridges.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { expect, vi } from "vitest";
import type { Ban, NetworkEvent } from "@gateway/protocol/events.ts";
import type { Call, CallResult, ConnectionRecord, StoreFiles } from "@gateway/protocol/connection.ts";
import {
  OPERATIONS,
  type OperationInput,
  type OperationName,
  type OperationOutput,
  type OperationRow,
} from "@gateway/protocol/operations.ts";
import { DEFAULT_INSTANCE_SETTINGS } from "@gateway/protocol/instance-settings.ts";
import { FakeBridge, type FakeSession, pool } from "./bridge.ts";
import { CRASH } from "../support/crash.ts";
import { StoredWork } from "./stored-work.ts";
import { evict, ringAlarm, type Memory, runAlarmsUntil } from "../support/eviction.ts";

export const PHONE = "5511900000001";
export const OTHER = "5511900000002";

let connections = 0;
const created: TestConnection[] = [];
const seconds = () => Math.floor(Date.now() / 1000);

export const event = {
  open: (): NetworkEvent => ({
    type: "session.open",
    phone: PHONE,
    lid: null,
    profile_name: "Ana",
    is_business: false,
    platform: "android",
    timestamp: seconds(),
  }),
  closed: (reason: Extract<NetworkEvent, { type: "session.closed" }>["reason"], code = 0, ban?: Ban): NetworkEvent => ({
    type: "session.closed",
    reason,
    code,
    ...(ban !== undefined && { ban }),
    timestamp: seconds(),
  }),
  qr: (attempt = 1): NetworkEvent => ({
    type: "session.qr",
    raw: `2@qr-${attempt}`,
    expires_at: seconds() + 60,
    attempt,
    timestamp: seconds(),
  }),
  paired: (): NetworkEvent => ({ type: "session.paired", phone: PHONE, platform: "android", is_business: false, timestamp: seconds() }),
};

/** `replayed` and `mismatch` as defined by `CallResult`. */
type Marks = { replayed?: true; mismatch?: true };
export type Result<T> = ({ ok: true; value: T } | { ok: false; code: string; retryAfter?: number; details?: unknown; issues?: unknown }) &
  Marks;

export class TestConnection {
  readonly uuid = crypto.randomUUID();
  readonly record: ConnectionRecord = {
    revision: 0,
    id: ++connections,
    uuid: this.uuid,
    owner_id: "owner",
    name: "Loja",
    kind: "session",
    owner_suspended: false,
    subscription_active: true,
    subscription_status: "active",
    subscription_period_end: null,
    settings: DEFAULT_INSTANCE_SETTINGS,
    proxy_url: null,
    home: null,
  };
  readonly stored = new StoredWork((query, ...bindings) => this.sql(query, ...bindings));
  readonly #bridges: FakeBridge[] = [];

  get stub() {
    return env.CONNECTION.getByName(this.uuid);
  }

  static async create(change: Partial<ConnectionRecord> = {}): Promise<TestConnection> {
    const connection = new TestConnection();
    created.push(connection);
    await connection.change(change);
    return connection;
  }

  /** Changes the record in D1 and pushes it, as the services do. */
  async change(change: Partial<ConnectionRecord>): Promise<void> {
    Object.assign(this.record, change);
    await this.enterIntoD1();
    await this.stub.configure(this.record);
  }

  /** A new connection, connected by its own bridge. */
  static async connected(): Promise<{ connection: TestConnection; bridge: FakeBridge; session: FakeSession }> {
    const connection = await TestConnection.create();
    const bridge = await connection.bridge();
    await connection.ask("instance.connect", { force_new_pairing: false });
    const session = await bridge.open(connection.uuid);
    await session.commit([event.open()]);
    return { connection, bridge, session };
  }

  async bridge(options: Parameters<typeof FakeBridge.dial>[0] = {}): Promise<FakeBridge> {
    const bridge = await FakeBridge.dial(options);
    this.#bridges.push(bridge);
    // Once the pool answers this call, it has processed the hello.
    await pool().list();
    // An alarm set by an earlier test would fire by the real clock, and expire bridges while this test moves its fake clock.
    if (vi.isFakeTimers()) await runInDurableObject(pool(), (_object, { storage }) => storage.deleteAlarm());
    return bridge;
  }

  async ask<N extends OperationName>(
    name: N,
    input: OperationInput<N>,
    change: Partial<Call> = {},
    storeFiles: StoreFiles | null = null,
  ): Promise<Result<OperationOutput<N>>> {
    const call: Call = {
      caller: { kind: "account", subject: "owner", role: "owner" },
      requestId: "test",
      method: "POST",
      route: `/${name}`,
      query: "",
      idempotencyKey: null,
      fingerprint: name,
      flags: { mutating: false, counted: false, cached: false },
      operation: name,
      input: JSON.stringify(input),
      rejected: null,
      ...change,
    };
    const answer = (await this.stub.perform(call, storeFiles)) as CallResult;
    const marks: Marks = { ...(answer.replayed && { replayed: true }), ...(answer.mismatch && { mismatch: true }) };
    if (!answer.ok) {
      const { code, retryAfter, details, issues } = answer.failure;
      return {
        ok: false,
        code,
        ...(retryAfter !== undefined && { retryAfter }),
        ...(details !== undefined && { details }),
        ...(issues !== undefined && { issues }),
        ...marks,
      };
    }
    const value: unknown = JSON.parse(answer.json);
    const row: OperationRow = OPERATIONS[name];
    const parsed = row.output.parse(value);
    // Values unchecked in production must match their schema exactly.
    if (row.asStored === true) expect(value, name).toStrictEqual(parsed);
    return { ok: true, value: parsed as OperationOutput<N>, ...marks };
  }

  send(
    text: string,
    change: Partial<OperationInput<"messages.send">> = {},
    call: Partial<Call> = {},
    storeFiles: StoreFiles | null = null,
  ) {
    const input: OperationInput<"messages.send"> = {
      to: OTHER,
      chat_id: null,
      content: { kind: "text", text, preview: null },
      quoted_message_id: null,
      mentions: [],
      mention_all: false,
      reference: null,
      typing_ms: 0,
      message_id: null,
      source: "api",
      ...change,
    };
    return this.ask("messages.send", input, { flags: { mutating: true, counted: false, cached: false }, ...call }, storeFiles);
  }

  async status(): Promise<string> {
    const got = await this.ask("instance.get", {});
    return got.ok ? `${got.value.status}/${got.value.status_reason}` : got.code;
  }

  /** Runs the alarm now; false if none is set. */
  alarm(): Promise<boolean> {
    return ringAlarm(this.stub);
  }

  /** Advances time by `ms` (needs fake dates), fires each due alarm, and returns their number. Evicts the object whenever it is idle. */
  after(ms: number, memory: Memory = {}): Promise<number> {
    return runAlarmsUntil(this.stub, Date.now() + ms, memory);
  }

  /** Advances the object's own timers by `ms` (needs fake timers); they must fire in its context. */
  wait(ms: number): Promise<void> {
    return runInDurableObject(this.stub, async () => {
      await vi.advanceTimersByTimeAsync(ms);
    });
  }

  evict(): Promise<void> {
    return evict(this.stub);
  }

  /** Kills the object's process: memory and sockets are lost, storage stays. */
  async crash(): Promise<void> {
    await runInDurableObject(this.stub, (_object, state) => state.abort(CRASH)).catch(() => undefined);
  }

  sql<T extends Record<string, SqlStorageValue>>(query: string, ...bindings: unknown[]): Promise<T[]> {
    return runInDurableObject(this.stub, (_object, { storage }) => storage.sql.exec<T>(query, ...bindings).toArray());
  }

  /** Calls `check` before each statement, which does not run if `check` throws. Lasts until the mocks are restored or the object is evicted. */
  async beforeStatements(check: (query: string) => void): Promise<void> {
    await runInDurableObject(this.stub, (_object, { storage: { sql } }) => {
      const exec = sql.exec.bind(sql);
      vi.spyOn(sql, "exec").mockImplementation(((query: string, ...bindings: SqlStorageValue[]) => {
        check(query);
        return exec(query, ...bindings);
      }) as typeof sql.exec);
    });
  }

  /** Makes the next statement that begins like this throw. */
  async breakNext(start: string): Promise<void> {
    let isBroken = true;
    await this.beforeStatements((query) => {
      if (!isBroken || !query.startsWith(start)) return;
      isBroken = false;
      throw new Error("broken by the test");
    });
  }

  /** Ends its placement and bridges, so they do not affect the next test. */
  async end(): Promise<void> {
    for (const bridge of this.#bridges) bridge.leave();
    await this.ask("instance.disconnect", {});
    vi.useRealTimers();
  }

  /** Objects write their state to D1 and read missed changes from it, so their rows must exist. */
  async enterIntoD1(): Promise<void> {
    const { id, uuid, owner_id, name, kind, settings, home, subscription_status: status } = this.record;
    await env.DB.batch([
      env.DB.prepare(
        "INSERT OR IGNORE INTO user (id, name, email, created_at, updated_at) VALUES (?1, ?1, ?1 || '@example.com', 0, 0)",
      ).bind(owner_id),
      env.DB.prepare(
        "INSERT OR IGNORE INTO subscription (user_id, plan, status, max_instances, created_at, updated_at) SELECT ?1, 'test', ?2, 50, 0, 0 WHERE ?2 IS NOT NULL",
      ).bind(owner_id, status),
      env.DB.prepare(
        `INSERT INTO connection (id, uuid, owner_id, name, kind, metadata, settings, home, created_at, updated_at)
         VALUES (?, ?, ?, ?, ?, '{}', ?, ?, 0, 0)
         ON CONFLICT (uuid) DO UPDATE SET name = excluded.name, settings = excluded.settings, home = excluded.home`,
      ).bind(id, uuid, owner_id, name, kind, JSON.stringify(settings), home),
    ]);
  }
}

/** After each test: ends all connections it created. */
export async function allEnded(): Promise<void> {
  for (const connection of created.splice(0)) await connection.end();
}
