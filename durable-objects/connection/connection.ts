// One object per connection. It owns all data of one number (docs/internals/architecture.md, "Where each fact is stored").
import { DurableObject } from "cloudflare:workers";
import type { Env } from "#root/src/env.ts";
import type { AccountEndpoint, Call, CallResult, ConnectionRecord, StoreFiles, RequestOutcome } from "@gateway/protocol/connection.ts";
import { SESSION_CLOSE } from "@gateway/protocol/session-socket.ts";
import { EVENT_SOCKET_PATH, LISTENER_SOCKET_PATH, STATUS_SOCKET_PATH } from "@gateway/protocol/stream-sockets.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import { errorFields, log } from "#root/src/log.ts";
import { type Deployment, PRODUCTION } from "../shared/deployment.ts";
import { CallFiles } from "./files/call-files.ts";
import type { Handlers } from "./handlers.ts";
import { handlersOf, runOperation, seesMessages } from "./operations.ts";
import type { RunOperation } from "../shared/gate/gate.ts";
import { Alarm } from "../shared/alarm.ts";
import { type ConnectionComponents, createComponents } from "./components.ts";
import { answerClose } from "../shared/answer-close.ts";
import { migrate } from "../shared/migrate.ts";
import { ClockSteps } from "../shared/clock-steps.ts";
import { locate } from "./requests/locate.ts";
import { Reread } from "./directory/reread.ts";
import { applyRecord } from "./directory/apply-record.ts";
import { removeConnection } from "./directory/removal.ts";
import { endStreams } from "./streams/end-streams.ts";
import { MIGRATIONS, TIME_COLUMNS } from "./schema.ts";
import { failureOfException } from "#root/src/services/exceptions.ts";
import type { ServerOf } from "#root/src/services/object-calls.ts";
import type { ConnectionStub, HandOver, Located, WebhookStatus } from "#root/src/services/connections/stub.ts";
import type { CloudConfiguration } from "@gateway/protocol/cloud.ts";
import { fail, type Failure, type Outcome } from "@gateway/protocol/failures.ts";
import { FAILURE_RESPONSES } from "@gateway/domain/failures/responses.ts";
import { wantsSession } from "@gateway/domain/instance/state.ts";

const WIPE_WAIT_MS = 15_000;
const FILES_TIMEOUT_MS = 5_000;
const HAND_OVER_WAIT_MS = 10_000;

export class Connection extends DurableObject<Env> implements ServerOf<ConnectionStub> {
  readonly #deployment: Deployment;
  #components: ConnectionComponents;
  #alarm: Alarm;
  #handlers: Handlers;
  #removing: Promise<void> | null = null;
  /** Set once the connection is removed, so that later changes are not stored. Object names are never reused. */
  #removed = false;

  constructor(ctx: DurableObjectState, env: Env, deployment: Deployment = PRODUCTION) {
    super(ctx, env);
    this.#deployment = deployment;
    ({ components: this.#components, alarm: this.#alarm, handlers: this.#handlers } = this.#create());
    this.#components.session.recheck(Date.now());
  }

  protected get record(): ConnectionRecord | null {
    return this.#components.identity.record;
  }

  /** Performs one request, and saves its files with `storeFiles`. Returns failures, because nothing is thrown across RPC. */
  perform(call: Call, storeFiles: StoreFiles | null = null): Promise<CallResult> {
    if (call.trace === undefined) return this.#perform(call, storeFiles);
    return this.#components.traces.call(call, (admitted) => this.#perform(call, storeFiles, admitted));
  }

  async #perform(call: Call, storeFiles: StoreFiles | null, onAdmitted?: () => void): Promise<CallResult> {
    const now = Date.now();
    const run: RunOperation = (admitted, messageId) => {
      onAdmitted?.();
      // A call that resumes an earlier one uses the files of that call.
      const files = this.#filesOf(admitted === call ? storeFiles : null, now);
      if (seesMessages(admitted.operation)) this.#components.outbox.settlement.storePending();
      return runOperation(this.#handlers, { call: admitted, messageId, files, now }, this.#components.identity.kind);
    };
    const { actionLog, admission, requests } = this.#components;
    let changesNothing = false;
    const recorded = (result: CallResult): CallResult => {
      requests.add(call, result, Date.now());
      if (result.ok && result.replayed !== true) actionLog.add(call, Date.now());
      changesNothing = result.ok && result.age !== undefined;
      return this.#counted(result);
    };
    try {
      return recorded(await admission.perform(call, run, now));
    } catch (error) {
      log("connection.failed", {
        connection: this.#components.identity.uuid,
        request: call.requestId,
        operation: call.operation,
        ...errorFields(error),
      });
      return recorded(fail(failureOfException(error)));
    } finally {
      if (call.flags.mutating) this.#components.removedFiles.recheck();
      if (!changesNothing || !this.#alarm.covers(admission.gate.nextDue())) this.#arm();
    }
  }

  /** Returns the rejection that `perform` would return, or null, before a long body is read. Does not count the call. */
  screen(call: Call): CallResult | null {
    const refused = this.#components.admission.screen(call, Date.now());
    if (refused !== null) this.#components.requests.add(call, refused, Date.now());
    return refused;
  }

  /** Corrects the request log if the response that the worker sent differs from this object's result. */
  amendRequest(outcome: RequestOutcome): void {
    this.#components.requests.amend(outcome);
  }

  /** Stores D1's record of this connection unless a newer one is stored. Callers push the record before they respond. */
  configure(record: ConnectionRecord): void {
    if (this.#isRemoved()) return;
    if (!applyRecord(this.#components, record, Date.now())) return;
    this.#components.admission.gate.clearReadCache();
    this.#arm();
  }

  /** Checks a Cloud API number's credentials and stores them if Graph accepts them. */
  async configureCloud(configuration: CloudConfiguration): Promise<Outcome<Record<string, never>>> {
    // Stores nothing after the removal, because such rows would never be deleted.
    if (this.#components.identity.record === null) return fail("instance_not_found");
    const configured = await this.#components.cloud.upkeep.configure(configuration);
    if (this.#isRemoved()) return configured;
    this.#components.admission.gate.clearReadCache();
    this.#arm();
    return configured;
  }

  /** Replaces the account's webhook endpoints. The change takes effect immediately, even for queued deliveries. */
  accountEndpointsChanged(endpoints: AccountEndpoint[], revision: number): void {
    if (this.#isRemoved()) return;
    this.#components.deliveries.account.replace(endpoints, revision);
    this.#arm();
  }

  /** Called by the pool when the bridge that hosts this generation dies, drains or gives up the session. */
  bridgeLost(generation: number): void {
    this.#components.session.step({ type: "bridge_lost", generation }, Date.now());
    this.#arm();
  }

  /** Moves this generation off a working bridge. Waits at most ten seconds for another bridge to take over. */
  async handOver(generation: number, connectedOnly: boolean): Promise<HandOver> {
    const { instance, link, session } = this.#components;
    const now = Date.now();
    const { state } = instance;
    const isOnItsWay = link.isMovingFrom(generation) && state.lease.phase === "placing";
    if (!isOnItsWay) {
      if (state.generation !== generation || !wantsSession(state)) return "ended";
      if (connectedOnly && (link.current() === null || state.status !== "connected")) return "not_connected";
      session.step({ type: "hand_over", generation }, now);
      this.#arm();
    }
    const isWaiting = () => instance.state.status === "connecting" && instance.state.lease.phase !== "queued";
    await link.waiters.until(() => !isWaiting(), HAND_OVER_WAIT_MS);
    return instance.state.status === "connecting" ? "under_way" : "moved";
  }

  /** True if the bridge may store and read this connection's files: it hosts the session or is handing it over. */
  isHostedBy(bridge: string): boolean {
    const { link, progress } = this.#components;
    return progress.bridge === bridge && link.mayStillCommit(progress.generation);
  }

  async cloudWebhook(bytes: Uint8Array, signature: string | null): Promise<WebhookStatus> {
    if (this.#isRemoved()) return 401;
    const status = await this.#components.cloud.webhook.receive(bytes, signature, Date.now());
    if (!this.#isRemoved()) this.#arm();
    return status;
  }

  cloudHandshake(token: string): boolean {
    return !this.#isRemoved() && this.#components.cloud.webhook.verify(token);
  }

  async pushStatistics(): Promise<void> {
    if (this.#isRemoved()) return;
    const { identity, statistics } = this.#components;
    await statistics.push(identity.uuid, Number.POSITIVE_INFINITY);
    this.#arm();
  }

  locate(id: string): Located | null {
    return this.#isRemoved() ? null : locate(this.#components, id, Date.now());
  }

  /** Runs overdue work, in case an alarm was lost. */
  poke(): void {
    this.#run(Date.now());
  }

  /** Once this returns, no key works and nothing is delivered. The rest of the removal continues in the background, even after a crash. */
  remove(): void {
    void this.#remove();
  }

  /** Removal is usually complete when this returns. If there are many files, the removal continues in the background. */
  async wipe(): Promise<void> {
    await Promise.race([this.#remove(), new Promise((resolve) => setTimeout(resolve, WIPE_WAIT_MS))]);
  }

  /** Upgrades a bridge's session socket (src/protocol/internal-http.ts), or the worker's status or event socket. */
  override fetch(request: Request): Response {
    const { listeners, instance, eventStreams, session, watchers } = this.#components;
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === STATUS_SOCKET_PATH) return watchers.accept(searchParams.get("request"), instance.state, Date.now());
    if (pathname === EVENT_SOCKET_PATH) return eventStreams.accept(searchParams.get("request"));
    if (pathname === LISTENER_SOCKET_PATH) return listeners.accept(searchParams.get("request"));
    return session.dial(request);
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    if (this.#components.watchers.has(socket) || this.#components.eventStreams.has(socket)) return;
    if (this.#components.listeners.has(socket)) return this.#components.listeners.message(socket, message);
    if (typeof message !== "string") return socket.close(SESSION_CLOSE.badFrame, "bad frame");
    const { identity, removal } = this.#components;
    // Closes the socket after the removal, because its frames must not be stored.
    if (identity.record === null && removal.connection === null) return socket.close(SESSION_CLOSE.stopped, "removed");
    this.#components.session.message(socket, message, Date.now());
    this.#arm();
  }

  override webSocketClose(socket: WebSocket): void {
    const { listeners, watchers, eventStreams, session } = this.#components;
    const audience = [watchers, eventStreams, listeners].find((each) => each.has(socket));
    if (audience !== undefined) audience.closed(socket);
    else {
      session.closed(socket, Date.now());
      this.#arm();
    }
    answerClose(socket);
  }

  override webSocketError(socket: WebSocket): void {
    this.webSocketClose(socket);
  }

  /** Starts due work without awaiting it, and never throws (docs/internals/scheduling.md, "Alarms"). */
  override alarm(): void {
    this.#alarm.rang();
    this.#run(Date.now());
  }

  /** Counts failures that are not the caller's fault. A send whose message is stored is counted by its outcome instead. */
  #counted(result: CallResult): CallResult {
    if (result.ok || result.replayed === true || !isFault(result.failure)) return result;
    this.#components.counters.addAlone(`error.${result.failure.code}`, Date.now());
    return result;
  }

  #filesOf(store: StoreFiles | null, now: number): CallFiles {
    const { identity, network } = this.#components;
    return new CallFiles(
      identity.uuid,
      store,
      () => identity.settings.media_retention_days * DAY_MS,
      () => network.link.ready(now, now + FILES_TIMEOUT_MS),
    );
  }

  #run(now: number): void {
    const earliest = this.#alarm.run(now);
    if (this.#components.removal.connection !== null) void this.#remove();
    this.#arm(earliest);
  }

  /** Runs one removal at a time. The alarm retries after a failure. */
  #remove(): Promise<void> {
    this.#removing ??= this.#removeAll()
      .catch((error: unknown) => log("connection.not_removed", { connection: this.#components.identity.uuid, ...errorFields(error) }))
      .finally(() => {
        this.#removing = null;
      });
    return this.#removing;
  }

  async #removeAll(): Promise<void> {
    await removeConnection(this.#components, this.env, () => {
      endStreams(this.#components);
      this.#arm();
    });
    for (const socket of this.ctx.getWebSockets()) socket.close(SESSION_CLOSE.stopped, "removed");
    this.#components.requests.stop();
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
    ({ components: this.#components, alarm: this.#alarm, handlers: this.#handlers } = this.#create());
    this.#alarm.rang();
    this.#removed = true;
  }

  #isRemoved(): boolean {
    return this.#removed || this.#components.removal.connection !== null;
  }

  /** Sets the alarm and sends updates. Called after every change that can affect the next due time or the instance. */
  #arm(earliest = 0): void {
    const now = Date.now();
    const { dataKeys, directory, instance, progress, watchers } = this.#components;
    directory.update(instance.state, progress.bridge, dataKeys.kid, now);
    this.#alarm.arm(now, earliest);
    watchers.update(instance.state);
  }

  #create(): { components: ConnectionComponents; alarm: Alarm; handlers: Handlers } {
    migrate(this.ctx.storage, MIGRATIONS);
    const clock = new ClockSteps(this.ctx.storage.sql, TIME_COLUMNS, Date.now());
    const components = createComponents(this.ctx, this.env, this.#deployment, () => this.#arm());
    const { catchUp, deliveries, directory, identity, removal, times } = components;
    if (removal.connection !== null) deliveries.dispatcher.stop();
    const reread = new Reread({
      sql: this.ctx.storage.sql,
      env: this.env,
      identity,
      catchUp,
      times,
      accountEndpoints: deliveries.account,
      directory,
      configure: (record) => this.configure(record),
      ended: () => this.#arm(),
    });
    const scheduled = [...components.scheduled, reread];
    const alarm = new Alarm(
      this.ctx.storage,
      clock,
      () => (removal.connection === null ? scheduled : [removal]),
      (error) => log("connection.alarm_failed", { connection: identity.uuid, ...errorFields(error) }),
    );
    return { components, alarm, handlers: handlersOf(components) };
  }
}

function isFault({ code, details }: Failure): boolean {
  return FAILURE_RESPONSES[code].status >= 500 && code !== "not_supported" && details?.["message_id"] === undefined;
}
