// Lifecycle of a Cloud API number: connecting, daily credential checks, and removal (docs/internals/cloud.md, "Lifecycle").
import * as checks from "./checks.ts";
import type { CloudConfiguration } from "@gateway/protocol/cloud.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { errorFields, log } from "#root/src/log.ts";
import type { OwnerCommand } from "@gateway/domain/instance/owner-commands.ts";
import type { Instance } from "../instance/instance.ts";
import type { Identity } from "../instance/identity.ts";
import type { StoredTimes } from "../../shared/stored-times.ts";
import type { CloudCredentials, StoredCredentials } from "./credentials.ts";
import type { ShownCredentials } from "#root/src/services/connections/change.ts";
import type { Graph } from "./graph.ts";

/** Random offset that spreads out the checks of numbers connected at the same time. */
const SPREAD_MS = HOUR_MS;
const AGAIN_MS = HOUR_MS;
const CUT_OFF_MS = 5 * MINUTE_MS;
/** Minimum interval between checks after calls that Graph refused, so that calls that fail for the same reason trigger only one check. */
const DOUBT_MS = MINUTE_MS;
/** The number's data is considered fresh for this long (docs/use/apis.md, "Number health"). */
const FRESH_MS = 10 * MINUTE_MS;
const QUALITY_MS = 3_000;
const FORGET_TIMEOUT_MS = 5_000;
const RETRY_AFTER_S = 60;

const TRIED = "cloud_tried";
const DOUBTED = "cloud_doubted";

export type UpkeepDependencies = {
  sql: SqlStorage;
  times: StoredTimes;
  identity: Pick<Identity, "kind" | "uuid">;
  instance: Pick<Instance, "state">;
  credentials: CloudCredentials;
  graphOf(credentials: StoredCredentials): Graph;
  callback: () => string;
  isShared(wabaId: string): Promise<boolean>;
  show(credentials: ShownCredentials): Promise<void>;
  step(command: OwnerCommand, now: number): void;
  rearm(): void;
};

type Done = Record<string, never>;
const DONE: Outcome<Done> = succeed({});

export class CloudUpkeep {
  readonly #deps: UpkeepDependencies;
  readonly #checks: checks.CheckRow;
  /** The last queued operation. Operations run one at a time, because two operations that set the webhook URL would undo each other. */
  #last: Promise<unknown> = Promise.resolve();
  #connecting: { mayConnect: () => boolean; outcome: Promise<Outcome<Done>> } | null = null;
  #reading: { ended: Promise<unknown>; since: number } | null = null;
  /** Number of disconnects so far. Connect requests from before the last disconnect are cancelled. */
  #disconnects = 0;
  #removed = false;

  constructor(deps: UpkeepDependencies) {
    this.#deps = deps;
    this.#checks = new checks.CheckRow(deps.sql);
  }

  /** Stores credentials only if Graph accepts them. Otherwise, fails with `cloud_credentials_invalid` or `unavailable`. */
  configure(configuration: CloudConfiguration): Promise<Outcome<Done>> {
    const mayConnect = this.#untilDisconnected();
    // Anyone may try credentials for a number in use. Such a check stores nothing, and the owner's operations must not wait for it.
    if (configuration.triesOnly === true) return this.#configure(configuration, mayConnect);
    return this.#serialize(async () => {
      // The D1 row of a new connection already contains its first credentials.
      const isFirst = this.#deps.credentials.get() === null;
      const configured = await this.#configure(configuration, mayConnect);
      return !configured.ok || isFirst ? configured : this.#show(configuration);
    });
  }

  /** Runs before the next operation may store other credentials, so that concurrent calls reach D1 in the same order as this object. */
  async #show(credentials: ShownCredentials): Promise<Outcome<Done>> {
    try {
      await this.#deps.show(credentials);
      return DONE;
    } catch (error) {
      log("cloud.not_shown", { connection: this.#deps.identity.uuid, ...errorFields(error) });
      return fail("unavailable");
    }
  }

  async #configure(configuration: CloudConfiguration, mayConnect: () => boolean): Promise<Outcome<Done>> {
    const { connects, triesOnly, accessToken, appSecret, phoneNumberId, wabaId, pin } = configuration;
    if (this.#removed) return fail("instance_not_found");
    const known = this.#deps.credentials.get();
    const verifyToken = known?.verifyToken ?? randomToken();
    const isSameApp = known !== null && known.wabaId === wabaId && known.appSecret === appSecret;
    const appId = isSameApp ? known.appId : null;
    const candidate: StoredCredentials = { phoneNumberId, wabaId, appId, accessToken, appSecret, verifyToken, pin };
    if (connects && triesOnly !== true) return this.#connect(candidate, known === null, mayConnect);
    const number = await checks.checkNumber(this.#deps.graphOf(candidate), candidate);
    if (number.kind !== "passed") return failureOf(number);
    return triesOnly === true ? DONE : (this.#store(candidate) ?? DONE);
  }

  /** Connects with the stored credentials. If Graph refuses, the status becomes `failed`. If Graph does not respond, nothing changes. */
  connect(): Promise<Outcome<Done>> {
    if (this.#connecting?.mayConnect() === true) return this.#connecting.outcome;
    const mayConnect = this.#untilDisconnected();
    const outcome = this.#serialize(() => this.#connectStored(mayConnect)).finally(() => {
      if (this.#connecting === connecting) this.#connecting = null;
    });
    const connecting = { mayConnect, outcome };
    this.#connecting = connecting;
    return outcome;
  }

  /** Disconnects the number, and cancels a connect that is in progress or waiting for Graph. */
  disconnect(now: number): void {
    this.#disconnects += 1;
    this.#checks.write({ due_at: null, connects: 0 });
    this.#deps.step({ type: "disconnect" }, now);
    this.#deps.rearm();
  }

  resume(now: number): void {
    this.#checks.write({ due_at: now, connects: 1 });
    this.#deps.rearm();
  }

  /** Called when an error from Graph may mean that the token is no longer valid. Schedules one check. */
  doubtCredentials(now: number): void {
    const at = Math.max(now, Math.min(this.#deps.times.get(DOUBTED) ?? 0, now) + DOUBT_MS);
    if ((this.#checks.read().due_at ?? Number.POSITIVE_INFINITY) <= at) return;
    this.#deps.times.set(DOUBTED, at);
    this.recheck(at);
  }

  recheck(at: number): void {
    if (this.#deps.instance.state.status !== "connected") return;
    this.#checks.write({ due_at: at });
    this.#deps.rearm();
  }

  /** Returns Graph's last report, refreshed if it is old, or null. If Graph does not respond, the first caller waits three seconds. */
  async quality(): Promise<{ number: checks.CloudNumber; checkedAt: number } | null> {
    const isFresh = Date.now() - (this.#checks.read().checked_at ?? 0) < FRESH_MS;
    const mayAsk =
      this.#deps.instance.state.status === "connected" && Math.abs(Date.now() - (this.#deps.times.get(TRIED) ?? 0)) >= DOUBT_MS;
    if (!isFresh && mayAsk) {
      this.#reading ??= this.#read();
      const leftMs = this.#reading.since + QUALITY_MS - Date.now();
      if (leftMs > 0) await within(this.#reading.ended, leftMs);
    }
    const { number, checked_at: checkedAt } = this.#checks.read();
    return number === null || checkedAt === null ? null : { number: JSON.parse(number) as checks.CloudNumber, checkedAt };
  }

  #read(): { ended: Promise<unknown>; since: number } {
    const ended = this.#serialize(() => this.#checkNumber())
      .catch((error: unknown) => log("cloud.check_failed", { connection: this.#deps.identity.uuid, ...errorFields(error) }))
      .finally(() => {
        this.#reading = null;
      });
    return { ended, since: Date.now() };
  }

  nextDue(): number | null {
    return this.#deps.identity.kind === "cloud_api" ? this.#checks.read().due_at : null;
  }

  clockSetBack(): void {
    this.#checks.clockSetBack();
  }

  run(now: number): void {
    const due = this.nextDue();
    if (due === null || due > now) return;
    const connects = this.#checks.read().connects === 1;
    this.#checks.write({ due_at: now + CUT_OFF_MS });
    this.#serialize(() => (connects ? this.#resume() : this.#check())).then(
      () => this.#deps.rearm(),
      (error: unknown) => log("cloud.check_failed", { connection: this.#deps.identity.uuid, ...errorFields(error) }),
    );
  }

  /** Called on removal. Tries to unsubscribe at Meta, and deletes the credentials in any case. */
  async forget(): Promise<void> {
    const { credentials } = this.#deps;
    this.#removed = true;
    const stored = credentials.get();
    const left = this.#serialize(async () => (stored === null ? undefined : checks.leave(this.#account(stored)))).catch(
      (error: unknown) => {
        log("cloud.not_left", { connection: this.#deps.identity.uuid, ...errorFields(error) });
      },
    );
    await within(left, FORGET_TIMEOUT_MS);
    credentials.wipe();
  }

  async #connectStored(mayConnect: () => boolean): Promise<Outcome<Done>> {
    if (this.#removed) return fail("instance_not_found");
    const stored = this.#deps.credentials.get();
    if (stored === null) return fail("unavailable", { retryAfter: RETRY_AFTER_S });
    return this.#deps.instance.state.suspended ? DONE : this.#connect(stored, false, mayConnect);
  }

  /** `isNew` means that no credentials were stored before. A failure then deletes those that were stored for Meta's callback. */
  async #connect(candidate: StoredCredentials, isNew: boolean, mayConnect: () => boolean): Promise<Outcome<Done>> {
    const graph = this.#deps.graphOf(candidate);
    const number = await checks.checkNumber(graph, candidate);
    if (number.kind !== "passed") return this.#refused(number, candidate, mayConnect);
    const isPrepared = candidate.appId !== null && (candidate.pin ?? null) === null;
    const preparation = isPrepared ? { prepared: candidate, subscribedAnew: false } : await checks.prepare(graph, candidate);
    if ("kind" in preparation) return this.#refused(preparation, candidate, mayConnect);
    const { prepared, subscribedAnew } = preparation;
    if (this.#removed) return this.#undone(prepared);
    // Stores the credentials before the URL is set, because Meta calls that URL during the request.
    const unsealed = isNew ? this.#store(prepared) : null;
    if (unsealed !== null) return unsealed;
    if (number.value.callback !== this.#deps.callback()) {
      const set = await checks.setCallback(graph, prepared.phoneNumberId, this.#deps.callback(), prepared.verifyToken);
      if (this.#removed) return this.#undone(prepared);
      if (set.kind !== "passed") {
        if (isNew) {
          await checks.leave(this.#account(prepared), subscribedAnew);
          this.#deps.credentials.wipe();
        }
        return this.#refused(set, candidate, mayConnect);
      }
    }
    const notStored = isNew ? null : this.#store(prepared);
    if (notStored !== null) return notStored;
    if (mayConnect()) this.#verified(number.value);
    return DONE;
  }

  async #undone(credentials: StoredCredentials): Promise<Outcome<Done>> {
    await checks.leave(this.#account(credentials));
    return fail("instance_not_found");
  }

  #untilDisconnected(): () => boolean {
    const before = this.#disconnects;
    return () => this.#disconnects === before;
  }

  /** If Graph refuses changed credentials, the number stays connected with the stored ones. */
  #refused(refused: checks.Refused | checks.Unanswered, candidate: StoredCredentials, mayConnect: () => boolean): Outcome<Done> {
    const stored = this.#deps.credentials.get();
    const isStored = stored !== null && (["wabaId", "accessToken", "appSecret"] as const).every((name) => stored[name] === candidate[name]);
    if (isStored && mayConnect() && refused.kind === "refused" && refused.access) this.#deps.step({ type: "cloud.refused" }, Date.now());
    return failureOf(refused);
  }

  async #resume(): Promise<void> {
    const stored = this.#deps.credentials.get();
    const mayResume = this.#deps.instance.state.reason === "manual";
    if (stored === null || !mayResume) return this.#checks.write({ due_at: null, connects: 0 });
    const mayConnect = this.#untilDisconnected();
    const connected = await this.#connect(stored, false, mayConnect);
    if (!mayConnect()) return;
    const isOver = connected.ok || connected.failure.code !== "unavailable";
    if (!isOver) this.#checks.write({ due_at: Date.now() + CUT_OFF_MS });
    else if (!connected.ok) this.#checks.write({ due_at: null, connects: 0 });
  }

  async #check(): Promise<void> {
    const { credentials, instance } = this.#deps;
    const stored = credentials.get();
    if (stored === null || instance.state.status !== "connected") return this.#checks.write({ due_at: null });
    const number = await this.#checkNumber();
    if (credentials.get() !== stored || instance.state.status !== "connected") return;
    this.#checks.write({ due_at: Date.now() + (number === null ? AGAIN_MS : DAY_MS + SPREAD_MS * (2 * Math.random() - 1)) });
    if (number === null) return;
    // After a crash or an outage, D1 may still contain older credentials.
    await this.#show(stored);
    await checks.keepSubscribed(this.#account(stored), number);
  }

  async #checkNumber(): Promise<checks.CloudNumber | null> {
    const { credentials, instance } = this.#deps;
    const stored = credentials.get();
    if (stored === null) return null;
    this.#deps.times.set(TRIED, Date.now());
    const number = await checks.checkNumber(this.#deps.graphOf(stored), stored);
    const isCurrent = credentials.get() === stored && instance.state.status === "connected";
    if (number.kind === "refused" && number.access && isCurrent) this.#deps.step({ type: "cloud.refused" }, Date.now());
    if (number.kind !== "passed") return null;
    if (!isCurrent) return number.value;
    this.#noted(number.value);
    const { phone, profileName } = instance.state;
    const isNews = phone !== number.value.phone || profileName !== number.value.verifiedName;
    if (isNews) this.#deps.step(verifiedOf(number.value), Date.now());
    return number.value;
  }

  #account(credentials: StoredCredentials): checks.Account {
    return {
      graph: this.#deps.graphOf(credentials),
      credentials,
      callback: this.#deps.callback(),
      connection: this.#deps.identity.uuid,
      isShared: (wabaId) => this.#deps.isShared(wabaId),
    };
  }

  #store(credentials: StoredCredentials): Outcome<Done> | null {
    return this.#deps.credentials.store(credentials, Date.now()) ? null : fail("unavailable", { retryAfter: RETRY_AFTER_S });
  }

  #verified(number: checks.CloudNumber): void {
    const now = Date.now();
    this.#deps.times.set(TRIED, now);
    this.#noted(number);
    this.#checks.write({ due_at: now + DAY_MS + SPREAD_MS * (2 * Math.random() - 1), connects: 0 });
    this.#deps.step(verifiedOf(number), now);
    this.#deps.rearm();
  }

  #noted(number: checks.CloudNumber): void {
    this.#checks.write({ checked_at: Date.now(), number: JSON.stringify(number) });
  }

  #serialize<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#last.then(run, run);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

function verifiedOf({ phone, verifiedName }: checks.CloudNumber): OwnerCommand {
  return { type: "cloud.verified", phone, profileName: verifiedName };
}

function failureOf(checked: checks.Refused | checks.Unanswered): Outcome<never> {
  const { step } = checked;
  if (checked.kind === "unanswered") return fail("unavailable", { retryAfter: RETRY_AFTER_S, details: { step } });
  return fail("cloud_credentials_invalid", { details: { step, network_code: checked.code } });
}

async function within(work: Promise<unknown>, ms: number): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, over]).finally(() => clearTimeout(timer));
}

function randomToken(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
