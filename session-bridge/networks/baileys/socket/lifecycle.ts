// Opens, reconnects and ends a session's network socket. It must never hold two sockets: two of one device disconnect each other.
import { S_WHATSAPP_NET, type AuthenticationCreds, type ConnectionState, type WAVersion } from "baileys";
import type { Semaphore } from "async-mutex";
import type { SessionEvent } from "@gateway/protocol/events.ts";
import type { OpenSockets } from "#bridge/open-sockets.ts";
import { backoffMs } from "#bridge/reconnect-delays.ts";
import { errorFacts } from "#bridge/log.ts";
import type { BridgeMetrics } from "#bridge/metrics/bridge-metrics.ts";
import { Linking, type LinkingDependencies } from "./linking.ts";
import { type ClientVersion, textOf } from "./client-version.ts";
import { disconnectOf, OWN_PAUSE, pauseAfter, ReconnectBudget, type Disconnect, type DisconnectError } from "./disconnects.ts";
import type { LiveSocket } from "./live-socket.ts";
import { profileNameOf, openEvent, restrictionEvent } from "./session-events.ts";

/** Earlier failures are forgotten after a connection of this length (docs/internals/statuses.md, "Statuses of an instance"). */
const STABLE_AFTER_MS = 300_000;
const CONNECT_SLOT_TIMEOUT_MS = 10_000;
/** An opening connection has failed if it has neither logged in nor shown a QR code within this time. */
const OPENING_TIMEOUT_MS = 45_000;
/** A refused version is retried with this backoff, in case the network accepts it again. */
const REFUSED_FIRST_MS = 300_000;
const REFUSED_CAP_MS = 3_600_000;
/** If a second QR code is shown, nobody linked with the first one. */
const SECOND_QR = 2;
const LOGOUT_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 1_000;

export type LifecycleDependencies = LinkingDependencies & {
  metrics: BridgeMetrics;
  closedWith(code: number): void;
  /** Limits concurrent connects, because hundreds of handshakes after a restart would starve the open sessions. */
  connectSlots: Semaphore;
  openSockets: OpenSockets;
  clientVersion: Pick<ClientVersion, "current" | "doubt" | "onChange">;
  /** Resolves when `clientVersion` is up to date, or when the look-up fails. */
  lookUpVersion(): Promise<void>;
  throughProxy(): boolean;
  alwaysOnline(): boolean;
  openSocket(): LiveSocket;
  /** Resolves when the store is flushed. No socket is opened earlier, because its state might not be writable. */
  flushed(): Promise<void>;
  opened(live: LiveSocket): void;
  closed(live: LiveSocket): void;
  finished(): void;
};

export class Lifecycle {
  readonly linking: Linking;
  readonly #deps: LifecycleDependencies;
  readonly #budget = new ReconnectBudget();
  #live: LiveSocket | null = null;
  #isOpen = false;
  #presenceSent = false;
  #stopping = false;
  #stableTimer: NodeJS.Timeout | undefined;
  #openingTimer: NodeJS.Timeout | undefined;
  #reconnectTimer: NodeJS.Timeout | undefined;
  #releaseSlot: () => void = () => undefined;
  /** Attempt number of the pending reconnect if no other session's socket has been lost so far. Otherwise null. */
  #lostAlone: number | null = null;
  #version: WAVersion;
  #isWaiting = false;
  #refusals = 0;
  #isOwnClose = false;
  #hasFailed = false;
  readonly #stopFollowingVersion: () => void;
  #closing: PromiseWithResolvers<void> | null = null;

  constructor(deps: LifecycleDependencies) {
    this.#deps = deps;
    this.linking = new Linking(deps, {
      shown: (attempt) => this.#qrShown(attempt),
      failed: (disconnect) => this.#linkingFailed(disconnect),
    });
    this.#version = deps.clientVersion.current;
    this.#stopFollowingVersion = deps.clientVersion.onChange(() => this.#versionChanged());
  }

  get open(): LiveSocket | null {
    return this.#isOpen ? this.#live : null;
  }

  start(): void {
    void this.#connect();
  }

  /** Drops the socket when the store does not respond, so that the network queues incoming messages. */
  disconnect(): void {
    this.#isOwnClose = this.#live !== null;
    this.#live?.terminate();
  }

  reopen(): void {
    this.#budget.forgetProxyErrors();
    if (this.#live !== null) return this.disconnect();
    this.#endPause();
  }

  async stop(logout: boolean): Promise<void> {
    this.#stopping = true;
    this.#stopFollowingVersion();
    clearTimeout(this.#reconnectTimer);
    const live = this.#live;
    if (live !== null) {
      const { promise: closed } = (this.#closing ??= Promise.withResolvers<void>());
      // The network may close the socket before it responds to the logout.
      if (logout && this.#isOpen) await Promise.race([this.#logOut(live), closed]);
      void live.sock.end(undefined).catch(() => undefined);
      // A peer that ignores the closing handshake must not delay the shutdown.
      const timeout = setTimeout(() => live.terminate(), CLOSE_TIMEOUT_MS);
      await closed;
      clearTimeout(timeout);
    }
    if (logout) this.#deps.auth.wipe();
  }

  async #connect(): Promise<void> {
    await Promise.all([this.#deps.flushed(), this.#deps.lookUpVersion()]);
    const [, release] = await this.#deps.connectSlots.acquire();
    setTimeout(release, this.#slotMs()).unref();
    this.#releaseSlot = release;
    if (this.#stopping) {
      release();
      return;
    }
    this.#version = this.#deps.clientVersion.current;
    try {
      this.#listen(this.#deps.openSocket());
    } catch (error) {
      release();
      this.#deps.logger.error(errorFacts(error), "network.not_opened");
      this.#giveUp("internal");
    }
  }

  /** The whole fleet reconnects after an outage, so each session keeps its slot until it is open or has failed. */
  #slotMs(): number {
    const isOutage = this.#refusals > 0 || (this.#hasFailed && !this.#deps.throughProxy());
    return isOutage ? OPENING_TIMEOUT_MS + CONNECT_SLOT_TIMEOUT_MS : CONNECT_SLOT_TIMEOUT_MS;
  }

  #listen(live: LiveSocket): void {
    this.#live = live;
    this.#isOwnClose = false;
    this.#presenceSent = false;
    this.#openingTimer = setTimeout(() => this.#openingFailed(live), OPENING_TIMEOUT_MS).unref();
    const { ev, ws } = live.sock;
    ws.on("CB:success", () => clearTimeout(this.#openingTimer));
    ev.on("connection.update", (update) => this.#updated(live, update));
    ev.on("creds.update", (update) => this.#credsUpdated(live, update));
    this.linking.listen(live);
  }

  #updated(live: LiveSocket, update: Partial<ConnectionState>): void {
    if (update.qr !== undefined) this.linking.nextQr(live, update.qr);
    if (update.isNewLogin === true) this.linking.linked();
    if (update.reachoutTimeLock !== undefined) this.#deps.emit(restrictionEvent(update.reachoutTimeLock, this.#seconds()));
    if (update.connection === "open") this.#opened(live);
    if (update.connection === "close") this.#closed(live, errorOf(update.lastDisconnect?.error));
  }

  #openingFailed(live: LiveSocket): void {
    this.#deps.logger.warn("network.opening_timeout");
    live.terminate();
  }

  #qrShown(attempt: number): void {
    clearTimeout(this.#openingTimer);
    this.#releaseSlot();
    if (attempt === SECOND_QR) this.#doubtVersion();
  }

  #opened(live: LiveSocket): void {
    this.#isOpen = true;
    this.#deps.openSockets.opened();
    this.#refusals = 0;
    this.#releaseSlot();
    this.#stableTimer = setTimeout(() => this.#budget.reset(), STABLE_AFTER_MS).unref();
    this.#deps.logger.info("network.open");
    this.#deps.metrics.networkOpened();
    this.#deps.emit(openEvent(this.#deps.auth.creds, this.#seconds()));
    this.#presenceSent = profileNameOf(this.#deps.auth.creds) !== null;
    this.#deps.opened(live);
  }

  #credsUpdated(live: LiveSocket, update: Partial<AuthenticationCreds>): void {
    this.#deps.auth.saveCreds();
    if (!this.#isOpen || this.#presenceSent || !update.me?.name) return;
    // Without a name, Baileys doesn't send its initial presence, and receipts would then go out as "inactive".
    this.#presenceSent = true;
    live.sock.sendPresenceUpdate(this.#deps.alwaysOnline() ? "available" : "unavailable").catch(() => undefined);
  }

  #closed(live: LiveSocket, error: DisconnectError | undefined): void {
    if (live !== this.#live) return;
    this.#live = null;
    const wasOpen = this.#isOpen;
    if (wasOpen) this.#deps.openSockets.closed();
    this.#hasFailed = !wasOpen;
    this.#isOpen = false;
    clearTimeout(this.#stableTimer);
    clearTimeout(this.#openingTimer);
    this.linking.closed();
    this.#releaseSlot();
    const unsent = live.detach();
    if (unsent > 0) this.#deps.auth.forgetSenderKeyMemory();
    this.#deps.closed(live);
    this.#deps.auth.resetUnpaired();
    this.#closing?.resolve();
    if (this.#stopping) return;
    this.#react(
      disconnectOf(error, { throughProxy: this.#deps.throughProxy(), wasOpen: live.connected() }, this.#seconds()),
      unsent,
      wasOpen,
    );
  }

  #react(disconnect: Disconnect, unsent: number, wasOpen: boolean): void {
    const { code, reason, next, ban } = disconnect;
    this.#deps.logger.info({ code, reason, unsent }, "network.closed");
    this.#deps.metrics.networkClosed(reason);
    this.#deps.closedWith(code);
    if (next === "wipe") this.#deps.auth.wipe();
    const more = { ...(next === "wait" ? { waits: true as const } : {}), ...(ban === undefined ? {} : { ban }) };
    this.#deps.emit({ type: "session.closed", code, reason, ...more, timestamp: this.#seconds() });
    if (next === "stop" || next === "wipe") this.#finish();
    else if (next === "at_once") this.#reconnectNow();
    else if (next === "wait") this.#waitForVersion();
    else this.#reconnectLater(disconnect, wasOpen);
  }

  #reconnectNow(): void {
    this.#deps.metrics.reconnecting();
    void this.#connect();
  }

  #reconnectLater(disconnect: Disconnect, wasOpen: boolean): void {
    const verdict = this.#isOwnClose ? this.#budget.nextOwn() : this.#budget.next(disconnect, this.#deps.now());
    if ("gaveUp" in verdict) {
      this.#giveUp(verdict.gaveUp);
      return;
    }
    this.#deps.metrics.reconnecting();
    const { firstMs, capMs } = this.#isOwnClose ? OWN_PAUSE : pauseAfter(disconnect);
    if (wasOpen) this.#deps.openSockets.lost(this.#deps.now());
    const together = wasOpen ? this.#deps.openSockets.waitMs(this.#deps.now()) : 0;
    this.#lostAlone = wasOpen && together === 0 ? verdict.attempt : null;
    this.#reconnectIn(backoffMs(verdict.attempt, firstMs, capMs) + together, verdict.attempt);
  }

  #reconnectIn(delayMs: number, attempt: number): void {
    const timestamp = this.#seconds();
    this.#deps.emit({ type: "session.reconnecting", attempt, next_at: timestamp + Math.ceil(delayMs / 1000), timestamp });
    this.#pause(delayMs);
  }

  #pause(ms: number): void {
    this.#reconnectTimer = setTimeout(() => this.#pauseOver(), ms);
  }

  /** Checks the delay again, because the first of many lost sockets chose theirs before the others were counted. */
  #pauseOver(): void {
    const attempt = this.#lostAlone;
    this.#lostAlone = null;
    const together = attempt === null ? 0 : this.#deps.openSockets.waitMs(this.#deps.now());
    if (attempt === null || together === 0) this.#endPause();
    else this.#reconnectIn(together, attempt);
  }

  #endPause(): void {
    if (this.#reconnectTimer === undefined) return;
    clearTimeout(this.#reconnectTimer);
    this.#reconnectTimer = undefined;
    this.#lostAlone = null;
    this.#isWaiting = false;
    void this.#connect();
  }

  #waitForVersion(): void {
    this.#refusals += 1;
    this.#isWaiting = true;
    this.#pause(backoffMs(this.#refusals, REFUSED_FIRST_MS, REFUSED_CAP_MS));
    this.#doubtVersion();
    this.#versionChanged();
  }

  #doubtVersion(): void {
    this.#deps.clientVersion.doubt(this.#version);
    void this.#deps.lookUpVersion();
  }

  /** A new version ends the wait after the previous version was refused, and replaces QR codes that no phone could link with. */
  #versionChanged(): void {
    if (textOf(this.#deps.clientVersion.current) === textOf(this.#version)) return;
    if (this.#isWaiting) this.#endPause();
    else if (!this.#isOpen && !this.#deps.auth.paired && !this.linking.passkeyWanted) this.#live?.terminate();
  }

  #linkingFailed(disconnect: Disconnect): void {
    this.#stopping = true;
    this.#react(disconnect, 0, false);
    this.#live?.terminate();
  }

  #giveUp(reason: Extract<SessionEvent, { type: "session.gave_up" }>["reason"]): void {
    this.#deps.logger.warn({ reason }, "network.gave_up");
    this.#deps.emit({ type: "session.gave_up", reason, timestamp: this.#seconds() });
    this.#finish();
  }

  #finish(): void {
    this.#stopping = true;
    this.#stopFollowingVersion();
    this.#deps.finished();
  }

  /** Baileys' own `logout` may close the socket before the stanza is sent. */
  async #logOut(live: LiveSocket): Promise<void> {
    const jid = this.#deps.auth.creds.me?.id;
    if (jid === undefined) return;
    const unlinking = live.sock.query(
      {
        tag: "iq",
        attrs: { to: S_WHATSAPP_NET, type: "set", id: live.sock.generateMessageTag(), xmlns: "md" },
        content: [{ tag: "remove-companion-device", attrs: { jid, reason: "user_initiated" } }],
      },
      LOGOUT_TIMEOUT_MS,
    );
    await unlinking.catch(() => undefined);
  }

  #seconds(): number {
    return Math.floor(this.#deps.now() / 1000);
  }
}

function errorOf(error: Error | undefined): DisconnectError | undefined {
  if (error === undefined) return undefined;
  const { output, data } = error as { output?: { statusCode?: unknown }; data?: unknown };
  const statusCode = typeof output?.statusCode === "number" ? output.statusCode : 0;
  return { statusCode, message: error.message, ...(typeof data === "object" && data !== null ? { data: { ...data } } : {}) };
}
