// The one owner of a session's reconnects: opens network sockets, understands how they close, and tells the Connection object about it
// (docs/architecture.md, "Statuses of an instance"). One socket at a time, and nobody else opens any.
import { S_WHATSAPP_NET, type AuthenticationCreds, type ConnectionState } from "baileys";
import type { Logger } from "pino";
import type { SessionEvent } from "../../../../src/protocol/events.ts";
import { fail, type Outcome } from "../../../../src/protocol/failures.ts";
import { backoffMs } from "../../../backoff.ts";
import { errorFacts } from "../../../log.ts";
import type { Openings } from "../../../openings.ts";
import type { AuthState } from "../durability/auth-state.ts";
import { closingOf, ReconnectBudget, type Closing, type DisconnectError } from "./disconnects.ts";
import type { LiveSocket } from "./live-socket.ts";
import type { Pairing, PairingCode, Qr } from "./pairing.ts";
import { nameOf, openEvent, pairedEvent, restrictionEvent } from "./session-events.ts";

const RECONNECT_FIRST_MS = 1_000;
const RECONNECT_CAP_MS = 300_000;
/** So long connected, and earlier failures no longer count (docs/architecture.md, "Statuses of an instance"). */
const STEADY_MS = 300_000;
/** Others may open when this one has not come up by then. */
const OPENING_MS = 10_000;
const LOGOUT_MS = 5_000;
const CLOSING_MS = 1_000;
/**
 * Linking that needs a passkey on the phone; Baileys cannot go on from there (docs/durability.md, "Wire protocol: messages and receipts").
 */
const PASSKEY = ["passkey_prologue_request", "crsc_continuation"];

export type LifecycleParts = {
  logger: Logger;
  auth: AuthState;
  pairing: Pairing;
  openings: Openings;
  throughProxy(): boolean;
  alwaysOnline(): boolean;
  openSocket(): LiveSocket;
  emit(event: SessionEvent): void;
  /** Resolves when the store has caught up: no socket is opened on state that may not be written. */
  settled(): Promise<void>;
  opened(live: LiveSocket): void;
  closed(live: LiveSocket): void;
  /** No socket will be opened again, until somebody asks for a new session. */
  finished(): void;
  now(): number;
};

export class Lifecycle {
  readonly #parts: LifecycleParts;
  readonly #budget = new ReconnectBudget();
  #live: LiveSocket | null = null;
  #isOpen = false;
  #greeted = false;
  #stopping = false;
  #steady: NodeJS.Timeout | undefined;
  #reconnect: NodeJS.Timeout | undefined;
  #letOthersOpen: () => void = () => undefined;
  #gone: () => void = () => undefined;

  constructor(parts: LifecycleParts) {
    this.#parts = parts;
  }

  /** The socket, while messages can be sent on it. */
  get open(): LiveSocket | null {
    return this.#isOpen ? this.#live : null;
  }

  start(): void {
    void this.#connect();
  }

  async requestCode(phone: string, code: string | null): Promise<Outcome<PairingCode>> {
    if (this.#parts.auth.paired) return fail("already_connected");
    if (this.#live === null) return fail("qr_not_available");
    return this.#parts.pairing.requestCode(this.#live.sock, phone, code, this.#parts.now());
  }

  /** Loses the line on purpose (the store does not answer): the network keeps what it has for us. */
  cut(): void {
    this.#live?.cut();
  }

  /** Closes for good; with `logout` the device is unlinked first and forgotten. */
  async stop(logout: boolean): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#reconnect);
    const live = this.#live;
    if (live !== null) {
      const gone = new Promise<void>((resolve) => {
        this.#gone = resolve;
      });
      // The network may close the socket before it answers.
      if (logout && this.#isOpen) await Promise.race([this.#logOut(live), gone]);
      void live.sock.end(undefined).catch(() => undefined);
      // A peer that does not answer the closing handshake would hold us up.
      const impatience = setTimeout(() => live.cut(), CLOSING_MS);
      await gone;
      clearTimeout(impatience);
    }
    if (logout) this.#parts.auth.wipe();
  }

  async #connect(): Promise<void> {
    await this.#parts.settled();
    const release = await this.#parts.openings.take();
    setTimeout(release, OPENING_MS).unref();
    this.#letOthersOpen = release;
    if (this.#stopping) {
      release();
      return;
    }
    this.#parts.pairing.reset();
    try {
      this.#listen(this.#parts.openSocket());
    } catch (error) {
      release();
      this.#parts.logger.error(errorFacts(error), "network.not_opened");
      this.#giveUp("internal");
    }
  }

  #listen(live: LiveSocket): void {
    this.#live = live;
    this.#greeted = false;
    const { ev, ws } = live.sock;
    ev.on("connection.update", (update) => this.#updated(live, update));
    ev.on("creds.update", (update) => this.#credsUpdated(live, update));
    ws.on("CB:notification,type:companion_reg_refresh", () => this.#rotate());
    for (const name of PASSKEY) {
      const unsupported = (): void => this.#stoppedBy({ code: 401, reason: "passkey_unsupported", next: "stop" }, live);
      ws.on(`CB:notification,type:${name}`, unsupported);
      ws.on(`CB:notification,,${name}`, unsupported);
    }
  }

  #updated(live: LiveSocket, update: Partial<ConnectionState>): void {
    const { auth, pairing } = this.#parts;
    if (update.qr !== undefined) this.#showQr(live, pairing.shown(update.qr));
    if (update.isNewLogin === true) {
      pairing.done();
      this.#parts.emit(pairedEvent(auth.creds, this.#seconds()));
    }
    if (update.reachoutTimeLock !== undefined) this.#parts.emit(restrictionEvent(update.reachoutTimeLock, this.#seconds()));
    if (update.connection === "open") this.#opened(live);
    if (update.connection === "close") this.#closed(live, errorOf(update.lastDisconnect?.error));
  }

  #showQr(live: LiveSocket, qr: Qr): void {
    this.#letOthersOpen();
    if (qr.attempt === 1) void this.#parts.pairing.renewCode(live.sock, this.#parts.now());
    this.#emitQr(qr);
  }

  #emitQr({ raw, attempt, lifeSeconds }: Qr): void {
    const timestamp = this.#seconds();
    this.#parts.emit({ type: "session.qr", raw, attempt, expires_at: timestamp + lifeSeconds, timestamp });
  }

  #rotate(): void {
    const shown = this.#parts.pairing.rotateSecret();
    if (shown !== null) this.#emitQr(shown);
  }

  #opened(live: LiveSocket): void {
    this.#isOpen = true;
    this.#letOthersOpen();
    this.#steady = setTimeout(() => this.#budget.restored(), STEADY_MS).unref();
    this.#parts.logger.info("network.open");
    this.#parts.emit(openEvent(this.#parts.auth.creds, this.#seconds()));
    this.#greeted = nameOf(this.#parts.auth.creds) !== null;
    this.#parts.opened(live);
  }

  #credsUpdated(live: LiveSocket, update: Partial<AuthenticationCreds>): void {
    this.#parts.auth.saveCreds();
    if (!this.#isOpen || this.#greeted || !update.me?.name) return;
    // Baileys' own first presence is left out while the name is unknown; until then receipts go out as "inactive" (docs/durability.md,
    // "Wire protocol: after login").
    this.#greeted = true;
    live.sock.sendPresenceUpdate(this.#parts.alwaysOnline() ? "available" : "unavailable").catch(() => undefined);
  }

  #closed(live: LiveSocket, error: DisconnectError | undefined): void {
    if (live !== this.#live) return;
    this.#live = null;
    this.#isOpen = false;
    clearTimeout(this.#steady);
    this.#letOthersOpen();
    const unsent = live.detach();
    if (unsent > 0) this.#parts.auth.forgetSenderKeyMemory();
    this.#parts.auth.dropHeld();
    this.#parts.closed(live);
    this.#parts.auth.startPairingAnew();
    this.#gone();
    if (this.#stopping) return;
    this.#react(closingOf(error, { throughProxy: this.#parts.throughProxy(), wasOpen: live.connected() }), unsent);
  }

  #react(closing: Closing, unsent: number): void {
    const { code, reason, next } = closing;
    this.#parts.logger.info({ code, reason, unsent }, "network.closed");
    if (next === "wipe") this.#parts.auth.wipe();
    this.#parts.emit({ type: "session.closed", code, reason, timestamp: this.#seconds() });
    if (next === "stop" || next === "wipe") this.#finish();
    else if (next === "at_once") void this.#connect();
    else this.#reconnectLater(closing);
  }

  #reconnectLater(closing: Closing): void {
    const verdict = this.#budget.next(closing, this.#parts.now());
    if ("gaveUp" in verdict) {
      this.#giveUp(verdict.gaveUp);
      return;
    }
    const delayMs = backoffMs(verdict.attempt, RECONNECT_FIRST_MS, RECONNECT_CAP_MS);
    const timestamp = this.#seconds();
    this.#parts.emit({ type: "session.reconnecting", attempt: verdict.attempt, next_at: timestamp + Math.ceil(delayMs / 1000), timestamp });
    this.#reconnect = setTimeout(() => void this.#connect(), delayMs);
  }

  #stoppedBy(closing: Closing, live: LiveSocket): void {
    this.#stopping = true;
    this.#react(closing, 0);
    live.cut();
  }

  #giveUp(reason: Extract<SessionEvent, { type: "session.gave_up" }>["reason"]): void {
    this.#parts.logger.warn({ reason }, "network.gave_up");
    this.#parts.emit({ type: "session.gave_up", reason, timestamp: this.#seconds() });
    this.#finish();
  }

  #finish(): void {
    this.#stopping = true;
    this.#parts.finished();
  }

  /** Baileys' own `logout` closes before the stanza may have left. */
  async #logOut(live: LiveSocket): Promise<void> {
    const jid = this.#parts.auth.creds.me?.id;
    if (jid === undefined) return;
    const asked = live.sock.query(
      {
        tag: "iq",
        attrs: { to: S_WHATSAPP_NET, type: "set", id: live.sock.generateMessageTag(), xmlns: "md" },
        content: [{ tag: "remove-companion-device", attrs: { jid, reason: "user_initiated" } }],
      },
      LOGOUT_MS,
    );
    await asked.catch(() => undefined);
  }

  #seconds(): number {
    return Math.floor(this.#parts.now() / 1000);
  }
}

/** Baileys reports closes as Boom errors: the code is in `output`. */
function errorOf(error: Error | undefined): DisconnectError | undefined {
  if (error === undefined) return undefined;
  const { output } = error as { output?: { statusCode?: unknown } };
  return { statusCode: typeof output?.statusCode === "number" ? output.statusCode : 0, message: error.message };
}
