// One object per account: call limits and idempotency, account removal, pushes to the account's connections, event streams.
import { DurableObject } from "cloudflare:workers";
import type { Env } from "#root/src/env.ts";
import type { Call, CallResult, AccountAction } from "@gateway/protocol/connection.ts";
import { ChangePush } from "./change-push.ts";
import { CallerRows, Callers } from "./callers.ts";
import { OwnerNotices } from "./owner-notices.ts";
import { FailingConnections } from "./failing-connections.ts";
import { OwedMail } from "./owed-mail.ts";
import { ACCOUNT_GUARD_MIGRATIONS, ACCOUNT_GUARD_TIMES } from "./schema.ts";
import { UploadLedger } from "../shared/upload-ledger.ts";
import { Gate } from "../shared/gate/gate.ts";
import { type Deployment, PRODUCTION } from "../shared/deployment.ts";
import { Alarm, type Scheduled } from "../shared/alarm.ts";
import { ClockSteps } from "../shared/clock-steps.ts";
import { answerClose } from "../shared/answer-close.ts";
import { migrate } from "../shared/migrate.ts";
import { failureOfException } from "#root/src/services/exceptions.ts";
import type { ServerOf } from "#root/src/services/object-calls.ts";
import {
  accountGuardStub,
  type AccountGuardStub,
  type ClosedAccount,
  type EndpointCaller,
  type OwedMailKind,
  type ResendSpan,
  type StreamSelection,
} from "#root/src/services/accounts/guard.ts";
import type { OwnerNotice } from "#root/src/services/mail/send.ts";
import { resendOf } from "#root/src/services/account-webhooks/deliveries.ts";
import { readEndpointChange, recordPushed } from "#root/src/services/account-webhooks/push.ts";
import { noLongerPendingOf, readRecordChange, splitIntoShares } from "#root/src/services/connections/push-records.ts";
import type { ChangeKind, PushOutcome } from "#root/src/services/account-change.ts";
import { type Identified, identifyKey } from "#root/src/services/callers/identify.ts";
import { closeAccount, forgetAccount, removeConnectionsOf } from "#root/src/services/accounts/remove.ts";
import { errorFields, log } from "#root/src/log.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";

/** Hourly limit on attempts to confirm a removal, because each may be a password guess. */
const CONFIRMATIONS_PER_HOUR = 5;
const PUSH_WAIT_MS = 10_000;
const ROUND_MS = 2_000;

export class AccountGuard extends DurableObject<Env> implements ServerOf<AccountGuardStub> {
  readonly #deployment: Deployment;
  readonly #changePush: ChangePush;
  readonly #failing: FailingConnections;
  readonly #uploads: UploadLedger;
  readonly #notices: OwnerNotices;
  readonly #owedMail: OwedMail;
  readonly #callers: Callers;
  #gate: Gate;
  #alarm: Alarm;
  #removing = false;
  #nextRound: number | null = null;
  readonly #removal: Scheduled = {
    nextDue: (now) => this.#nextRound ?? now,
    run: () => this.#removeOnce(),
    clockSetBack: (now) => {
      this.#nextRound = now;
    },
  };

  constructor(ctx: DurableObjectState, env: Env, deployment: Deployment = PRODUCTION) {
    super(ctx, env);
    this.#deployment = deployment;
    this.#changePush = new ChangePush({
      sql: ctx.storage.sql,
      read: (kind, userId) => (kind === "records" ? readRecordChange : readEndpointChange)(this.env, userId),
      splitIntoShares: (userId, size) => splitIntoShares(this.env.DB, userId, size),
      // The guard calls itself, because every invocation gets its own subrequest limit.
      send: (userId, kind, number, until) => accountGuardStub(this.env, userId).relay(kind, number, until),
      pushed: async (kind, userId, revision) => {
        if (kind === "endpoints") await recordPushed(this.env.DB, userId, revision);
        else await noLongerPendingOf(this.env.DB, userId, revision);
      },
      rearm: () => this.#arm(),
    });
    this.#failing = new FailingConnections(ctx.storage.sql);
    this.#callers = new Callers((hash, instance) => identifyKey(this.env.DB, hash, instance), new CallerRows(ctx.storage.sql));
    this.#uploads = new UploadLedger(ctx.storage.sql, LIMITS.uploads.accountBytes);
    this.#notices = new OwnerNotices(env, ctx.storage.sql, () => this.#arm());
    this.#owedMail = new OwedMail(env, ctx.storage.sql, () => this.#arm());
    ({ gate: this.#gate, alarm: this.#alarm } = this.#create());
  }

  /** Performs an authenticated caller's call, and runs `act` at most once. Returns failures, because nothing is thrown across RPC. */
  async perform(call: Call, act: AccountAction): Promise<CallResult> {
    if (call.caller.kind !== "account") return fail("unauthorized");
    try {
      return await this.#gate.admit(
        { call, subject: call.caller.subject, refused: null, resumable: false, runsInWorker: true, asksNetwork: false, shownOnce: [] },
        () => act(),
        Date.now(),
      );
    } catch (error) {
      log("account.failed", { request: call.requestId, route: call.route, ...errorFields(error) });
      return fail(failureOfException(error));
    } finally {
      this.#arm();
    }
  }

  /** Counts the attempt before the password check, so that parallel guesses count too. At the limit, returns how long to wait (ms). */
  countConfirmation(): number | null {
    const { sql } = this.ctx.storage;
    const now = Date.now();
    sql.exec("DELETE FROM confirmation WHERE at <= ? OR at > ?", now - HOUR_MS, now);
    const times = sql.exec<{ at: number }>("SELECT at FROM confirmation ORDER BY at").toArray();
    const first = times[0];
    if (first !== undefined && times.length >= CONFIRMATIONS_PER_HOUR) return first.at + HOUR_MS - now;
    sql.exec("INSERT INTO confirmation (at) VALUES (?)", now);
    return null;
  }

  async remove(closed: ClosedAccount): Promise<boolean> {
    this.ctx.storage.sql.exec("INSERT OR IGNORE INTO removal (one, user_id, email) VALUES (1, ?, ?)", closed.userId, closed.email);
    // Sets the next round before the first await, so that a later crash does not stop the removal.
    this.#nextRound = Date.now() + ROUND_MS;
    this.#arm();
    if (!(await this.#close(closed))) {
      this.#cancelRemoval();
      return false;
    }
    this.endStreams({});
    try {
      await removeConnectionsOf(this.env, closed);
    } catch (error) {
      // The account is already closed and the next round retries, so a failure is logged and not returned to the caller.
      log("account.not_removed", { user: closed.userId, ...errorFields(error) });
    }
    return true;
  }

  async pushRecords(userId: string): Promise<void> {
    await this.#push("records", userId, 0, PUSH_WAIT_MS);
  }

  pushEndpoints(userId: string, revision: number, waits: boolean): Promise<PushOutcome> {
    return this.#push("endpoints", userId, revision, waits ? PUSH_WAIT_MS : 0);
  }

  /** Connections that do not respond within `waitMs` get the change later. Throws if the change cannot be stored. */
  async #push(kind: ChangeKind, userId: string, revision: number, waitMs: number): Promise<PushOutcome> {
    const outcome = this.#changePush.start(kind, userId, revision, Date.now()).finally(() => this.#arm());
    const { promise: waited, resolve } = Promise.withResolvers<PushOutcome>();
    const timer = setTimeout(() => resolve("under_way"), waitMs);
    try {
      return await Promise.race([outcome, waited]);
    } finally {
      clearTimeout(timer);
      outcome.catch((error: unknown) => log("account.change_not_pushed", { user: userId, kind, ...errorFields(error) }));
    }
  }

  relay(kind: ChangeKind, number: number, until: number): Promise<boolean> {
    return this.#changePush.relay(kind, number, until);
  }

  claimUpload(token: string, bytes: number): number | null {
    // Stores nothing after the removal, because such rows would never be deleted.
    if (this.#closed() !== null) return null;
    this.#uploads.removeExpired(Date.now());
    return this.#uploads.claim(token, bytes, Date.now());
  }

  addFailing(endpointId: string, connection: string): void {
    if (this.#closed() === null) this.#failing.add(endpointId, connection, Date.now());
  }

  failingConnections(endpointId: string): string[] {
    return this.#failing.list(endpointId);
  }

  addNotice(ownerId: string, notice: OwnerNotice): void {
    if (this.#closed() !== null) return;
    this.#notices.add(ownerId, notice, Date.now());
    this.#arm();
  }

  oweMail(kind: OwedMailKind, subject: string, askedAt: number): void {
    if (this.#closed() !== null) return;
    this.#owedMail.add({ kind, subject, askedAt, tries: 1 }, Date.now());
    this.#arm();
  }

  override fetch(request: Request): Response {
    const { searchParams } = new URL(request.url);
    const { 0: theirs, 1: ours } = new WebSocketPair();
    this.ctx.acceptWebSocket(ours, [`credential:${searchParams.get("credential") ?? ""}`]);
    // The connections are stored in the attachment, because a stream can cover more connections than a socket may have tags.
    ours.serializeAttachment(searchParams.get("connections") ?? "");
    return new Response(null, { status: 101, webSocket: theirs });
  }

  override webSocketClose(socket: WebSocket): void {
    answerClose(socket);
  }

  resendFailed(caller: EndpointCaller, connections: readonly string[], span: ResendSpan): Promise<Outcome<number>> {
    return resendOf({ env: this.env, caller }, connections, span);
  }

  identify(hash: string, instance: string | null): Promise<Identified | null> {
    return this.#callers.identify(hash, instance);
  }

  endStreams({ credential, connection }: StreamSelection): void {
    this.#callers.forget();
    const sockets = this.ctx.getWebSockets(credential === undefined ? undefined : `credential:${credential}`);
    const isOf = (socket: WebSocket) => connection === undefined || connectionsOf(socket).includes(connection);
    for (const socket of sockets.filter(isOf)) socket.close(1008, "no longer allowed");
  }

  poke(): void {
    this.alarm();
  }

  /** Starts due work without awaiting it, and never throws (docs/internals/scheduling.md, "Alarms"). */
  override alarm(): void {
    this.#alarm.rang();
    this.#arm(this.#alarm.run(Date.now()));
  }

  /** Starts a round of the removal, unless one is still running. */
  #removeOnce(): void {
    this.#nextRound = Date.now() + ROUND_MS;
    const closed = this.#closed();
    if (closed !== null && !this.#removing) void this.#continueRemoval(closed);
  }

  async #continueRemoval(closed: ClosedAccount): Promise<void> {
    this.#removing = true;
    try {
      if (!(await this.#close(closed))) this.#cancelRemoval();
      else if ((await removeConnectionsOf(this.env, closed)) === 0) {
        await forgetAccount(this.env, closed);
        this.#forget(closed);
      }
    } catch (error) {
      log("account.not_removed", { user: closed.userId, ...errorFields(error) });
    }
    this.#removing = false;
    this.#arm();
  }

  #close(closed: ClosedAccount): Promise<boolean> {
    // Clears the cache even after a failure, because D1 may still have committed.
    return closeAccount(this.env.DB, closed, Date.now()).finally(() => this.#callers.forget());
  }

  #cancelRemoval(): void {
    this.ctx.storage.sql.exec("DELETE FROM removal");
    this.#nextRound = null;
    this.#arm();
  }

  /** Deletes the account's rows and stores the email about the deletion in one transaction, so that a crash cannot lose the email. */
  #forget({ email }: ClosedAccount): void {
    const { sql } = this.ctx.storage;
    const now = Date.now();
    this.ctx.storage.transactionSync(() => {
      const tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf*' AND name NOT GLOB 'sqlite*'";
      for (const { name } of sql.exec<{ name: string }>(`${tables} AND name <> 'schema_version'`).toArray())
        sql.exec(`DELETE FROM ${name}`);
      this.#owedMail.add({ kind: "deleted", subject: email, askedAt: now, tries: 0 }, now);
    });
    this.#nextRound = null;
    ({ gate: this.#gate, alarm: this.#alarm } = this.#create());
  }

  #create(): { gate: Gate; alarm: Alarm } {
    const { storage, id } = this.ctx;
    migrate(storage, ACCOUNT_GUARD_MIGRATIONS);
    const clock = new ClockSteps(storage.sql, ACCOUNT_GUARD_TIMES, Date.now());
    const gate = new Gate(storage.sql, this.#deployment.limits);
    const scheduled = [gate, this.#changePush, this.#notices, this.#owedMail];
    const alarm = new Alarm(
      storage,
      clock,
      () => (this.#closed() === null ? scheduled : [this.#removal]),
      (error) => log("account.alarm_failed", { user: id.name, ...errorFields(error) }),
    );
    return { gate, alarm };
  }

  #closed(): ClosedAccount | null {
    const row = this.ctx.storage.sql.exec<{ user_id: string; email: string }>("SELECT user_id, email FROM removal").toArray()[0];
    return row === undefined ? null : { userId: row.user_id, email: row.email };
  }

  #arm(notBefore = 0): void {
    this.#alarm.arm(Date.now(), notBefore);
  }
}

function connectionsOf(socket: WebSocket): string[] {
  return (socket.deserializeAttachment() as string).split(",");
}
