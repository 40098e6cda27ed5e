// One object per connection: everything about one number lives here (docs/architecture.md, "One home for every fact").
import { DurableObject } from "cloudflare:workers";
import type { Env } from "../../src/env.ts";
import type { AccountEndpoint } from "../../src/protocol/account-endpoint.ts";
import { type Answer, type Call, ConnectionRecord, type StoreFiles } from "../../src/protocol/connection.ts";
import { readConfiguration } from "../../src/services/connections/configuration.ts";
import { SESSION_CLOSE } from "../../src/protocol/session-socket.ts";
import { EVENT_SOCKET_PATH } from "../../src/protocol/event-socket.ts";
import { STATUS_SOCKET_PATH } from "../../src/protocol/status-socket.ts";
import { errorFields, log } from "../../src/log.ts";
import { type Deployment, PRODUCTION } from "../shared/deployment.ts";
import { CallFiles } from "./operations/call-files.ts";
import type { Handlers } from "./operations/handlers.ts";
import { operationsOf, runOperation } from "./operations/operations.ts";
import { compose, CONCERNS, type Parts } from "./parts.ts";
import { sessionSettingsDiffer } from "./session/settings.ts";
import { migrate } from "../shared/migrate.ts";
import type { ServerOf } from "../shared/rpc.ts";
import type { ConnectionStub } from "../../src/services/connections/stub.ts";
import { fail } from "../../src/protocol/failures.ts";

/** How long a removal waits for the device to be unlinked. */
const UNLINK_MS = 5_000;
/** How long files wait for a session that is on its way. */
const FILES_WAIT_MS = 5_000;
/** An alarm whose work is still due is not repeated at once: nothing may spin. */
const ALARM_AGAIN_MS = 20;

export class Connection extends DurableObject<Env> implements ServerOf<ConnectionStub> {
  readonly #deployment: Deployment;
  #parts: Parts;
  #handlers: Handlers;
  /** How often it was told of its record in this life. */
  #told = 0;
  /** When the alarm is set for; undefined while unknown. */
  #alarmAt: number | null | undefined;

  constructor(ctx: DurableObjectState, env: Env, deployment: Deployment = PRODUCTION) {
    super(ctx, env);
    this.#deployment = deployment;
    this.#parts = this.#compose();
    this.#handlers = operationsOf(this.#parts);
    this.#parts.session.recheck(Date.now());
    // Beside whatever it was woken for: nobody waits for D1.
    if (this.#parts.identity.record !== null) void this.#reread(this.#parts.identity.record.uuid);
  }

  /** One authenticated request, and how its files are stored when it has some. Values only: nothing is thrown across RPC. */
  async perform(call: Call, storeFiles: StoreFiles | null = null): Promise<Answer> {
    const now = Date.now();
    const files = new CallFiles(
      storeFiles,
      () => this.#parts.retentionMs(),
      () => this.#parts.session.ready(now, now + FILES_WAIT_MS),
    );
    try {
      return await this.#parts.admission.perform(
        call,
        (admitted, messageId) =>
          runOperation(this.#handlers, { call: admitted, messageId, files, now }, this.#parts.identity.record?.kind ?? "session"),
        now,
      );
    } catch (error) {
      log("connection.failed", {
        connection: this.#parts.uuid(),
        request: call.requestId,
        operation: call.operation,
        ...errorFields(error),
      });
      return fail("internal_error");
    } finally {
      this.#arm();
    }
  }

  /** Takes over the D1 facts about this connection; called by the verb that changed them, before it answers. */
  configure(record: ConnectionRecord): void {
    this.#told += 1;
    const { identity, session } = this.#parts;
    const before = identity.record;
    const after = ConnectionRecord.parse(record);
    identity.store(after);
    if (before !== null && sessionSettingsDiffer(before, after)) session.pushSettings();
    session.step({ type: "subscription", active: record.subscription_active }, Date.now());
    this.#parts.admission.clearReadCache();
    this.#arm();
  }

  /** Takes over the account's webhook endpoints that apply here; a change binds at once, also for deliveries that wait. */
  async accountEndpointsChanged(endpoints: AccountEndpoint[], revision: number): Promise<void> {
    await this.#parts.deliveries.account.replace(endpoints, revision);
    this.#arm();
  }

  /** The pool knows that the bridge of this generation is dead, is being drained, or gave the session up. */
  bridgeLost(generation: number): void {
    this.#parts.session.step({ type: "bridge_lost", generation }, Date.now());
    this.#arm();
  }

  /** Does whatever is overdue: an alarm may have been lost. */
  poke(): void {
    this.#run(Date.now());
  }

  /** Ends the session, unlinks the device as well as it can, and forgets everything. */
  async wipe(): Promise<void> {
    this.#parts.session.step({ type: "logout" }, Date.now());
    await this.#parts.session.waitUntilClosed(UNLINK_MS);
    for (const socket of this.ctx.getWebSockets()) socket.close(SESSION_CLOSE.stopped, "removed");
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
    this.#alarmAt = null;
    this.#parts = this.#compose();
    this.#handlers = operationsOf(this.#parts);
  }

  /** A bridge dials the session socket (src/protocol/internal-http.ts), or the worker a watcher's (src/protocol/status-socket.ts). */
  override fetch(request: Request): Response {
    const { instance, listeners, session, watchers } = this.#parts;
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === STATUS_SOCKET_PATH) return watchers.accept(instance.state, Date.now());
    if (pathname === EVENT_SOCKET_PATH) return listeners.accept(searchParams.get("request"));
    return session.dial(request);
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    if (this.#parts.watchers.has(socket) || this.#parts.listeners.has(socket)) return;
    if (typeof message !== "string") return socket.close(SESSION_CLOSE.badFrame, "bad frame");
    this.#parts.session.message(socket, message, Date.now());
    this.#arm();
  }

  override webSocketClose(socket: WebSocket): void {
    for (const audience of [this.#parts.watchers, this.#parts.listeners]) if (audience.has(socket)) return audience.closed(socket);
    this.#parts.session.closed(socket, Date.now());
    this.#arm();
  }

  override webSocketError(socket: WebSocket): void {
    this.webSocketClose(socket);
  }

  /** Dispatches; never waits for what it starts, and never throws (docs/architecture.md, "Alarms"). */
  override alarm(): void {
    this.#alarmAt = null;
    this.#run(Date.now());
  }

  /** A change in D1 that could not be pushed here is found out at the next wake-up (docs/architecture.md, "One home for every fact"). */
  async #reread(uuid: string): Promise<void> {
    const { account } = this.#parts.deliveries;
    const told = this.#told;
    try {
      const reread = await readConfiguration(this.env, uuid, account.revision);
      const { record } = this.#parts.identity;
      if (reread === null || record === null) return;
      // What was pushed meanwhile is newer than what was read.
      if (told === this.#told && !isSame(reread.record, record)) this.configure(reread.record);
      if (reread.endpoints !== null) await this.accountEndpointsChanged(reread.endpoints, reread.revision);
    } catch (error) {
      log("connection.not_reread", { connection: uuid, ...errorFields(error) });
    }
  }

  #run(now: number): void {
    const { admission, alerts, deliveries, outbox, purge, session } = this.#parts;
    for (const part of [session, alerts, outbox, deliveries, admission, purge]) {
      try {
        part.run(now);
      } catch (error) {
        log("connection.alarm_failed", { connection: this.#parts.uuid(), ...errorFields(error) });
      }
    }
    this.#arm(now + ALARM_AGAIN_MS);
  }

  /** The alarm is derived, never remembered (docs/architecture.md, "Alarms"). */
  #arm(earliest = 0): void {
    const now = Date.now();
    const { admission, alerts, deliveries, instance, outbox, projection, purge, session, watchers } = this.#parts;
    const parts = [session, alerts, outbox, deliveries, admission, purge];
    const dues = parts.map((part) => part.nextDue(now)).filter((due) => due !== null);
    const due = dues.length === 0 ? null : Math.max(earliest, Math.min(...dues));
    projection.update(instance.state, due, now);
    watchers.update(instance.state);
    if (due === this.#alarmAt) return;
    this.#alarmAt = due;
    void (due === null ? this.ctx.storage.deleteAlarm() : this.ctx.storage.setAlarm(due));
  }

  #compose(): Parts {
    migrate(this.ctx.storage, CONCERNS);
    return compose(this.ctx, this.env, this.#deployment, () => this.#arm());
  }
}

/** Both are written in the schema's order. */
function isSame(one: ConnectionRecord, other: ConnectionRecord): boolean {
  return JSON.stringify(ConnectionRecord.parse(one)) === JSON.stringify(ConnectionRecord.parse(other));
}
