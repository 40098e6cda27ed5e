// Links a device: shows QR codes, keeps a displayed code valid, and performs the passkey ceremony.
import { getBinaryNodeChild, getBinaryNodeChildBuffer, type BinaryNode } from "baileys";
import type { Logger } from "pino";
import type { PasskeyAssertion } from "@gateway/protocol/passkey.ts";
import type { SessionEvent } from "@gateway/protocol/events.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { errorFacts } from "#bridge/log.ts";
import type { AuthState } from "../durability/auth-state.ts";
import type { Disconnect } from "./disconnects.ts";
import type { LiveSocket } from "./live-socket.ts";
import { pairedEvent } from "./session-events.ts";
import type { Pairing, PairingCode, Qr } from "./pairing.ts";
import { addSpareReferences, isSpare, PASSKEY_SECONDS, PasskeyCeremony } from "./passkey.ts";

const PASSKEY_NOTIFICATIONS = ["passkey_prologue_request", "crsc_continuation"];

export type LinkingDependencies = {
  logger: Logger;
  auth: AuthState;
  pairing: Pairing;
  mayUsePasskey(): boolean;
  emit(event: SessionEvent): void;
  now(): number;
};

export type LinkingEvents = {
  shown(attempt: number): void;
  failed(disconnect: Disconnect): void;
};

export class Linking {
  readonly #deps: LinkingDependencies;
  readonly #events: LinkingEvents;
  #live: LiveSocket | null = null;
  #passkey: PasskeyCeremony | null = null;
  #passkeyTimer: NodeJS.Timeout | undefined;

  constructor(deps: LinkingDependencies, events: LinkingEvents) {
    this.#deps = deps;
    this.#events = events;
  }

  get passkeyWanted(): boolean {
    return this.#passkey !== null;
  }

  listen(live: LiveSocket): void {
    this.#live = live;
    this.#deps.pairing.reset();
    const { ws } = live.sock;
    ws.on("CB:notification,type:companion_reg_refresh", () => this.#rotateQrSecret());
    ws.on("CB:notification,type:link_code_companion_reg", (notice: BinaryNode) => {
      if (isCodeRetired(notice)) void this.#renewCode(live);
    });
    if (this.#deps.mayUsePasskey()) this.#listenToPasskey(live);
    else this.#refusePasskey(live);
  }

  closed(): void {
    this.#live = null;
    clearTimeout(this.#passkeyTimer);
    this.#passkey = null;
  }

  async requestCode(phone: string, code: string | null): Promise<Outcome<PairingCode>> {
    if (this.#deps.auth.paired) return fail("already_connected");
    if (this.#live === null) return fail("qr_not_available");
    return this.#deps.pairing.requestCode(this.#live.sock, phone, code, this.#deps.now());
  }

  async answerPasskey(assertion: PasskeyAssertion): Promise<Outcome<Record<string, never>>> {
    const [live, passkey] = [this.#live, this.#passkey];
    if (live === null || passkey === null) return fail("passkey_not_wanted");
    const answered = await passkey.answer(assertion);
    // Restarts the timeout, because it is the phone's turn to act.
    if (answered.ok && passkey === this.#passkey) this.#endPasskeyLater();
    return answered;
  }

  nextQr(live: LiveSocket, text: string): void {
    if (this.#passkey !== null) return;
    if (isSpare(text)) return void live.sock.end(qrTimeout());
    const qr = this.#deps.pairing.nextQr(text);
    this.#events.shown(qr.attempt);
    if (qr.attempt === 1) void this.#renewCode(live);
    this.#emitQr(qr);
  }

  linked(): void {
    this.#deps.pairing.complete();
    this.#deps.emit(pairedEvent(this.#deps.auth.creds, this.#seconds()));
  }

  #emitQr({ raw, attempt, lifeSeconds }: Qr, codeRefused = false): void {
    const timestamp = this.#seconds();
    const code = codeRefused ? ({ code: "refused" } as const) : {};
    this.#deps.emit({ type: "session.qr", raw, attempt, expires_at: timestamp + lifeSeconds, ...code, timestamp });
  }

  /** Registers the displayed pairing code again so that it stays valid. If the network refuses, emits the QR code with `refused`. */
  async #renewCode(live: LiveSocket): Promise<void> {
    const done = await this.#deps.pairing.renewCode(live.sock, this.#deps.now());
    if (done === "none") return;
    this.#deps.logger.info({ renewed: done === "renewed" }, "pairing.code_retired");
    const qr = this.#deps.pairing.currentQr;
    if (done === "refused" && live === this.#live && this.#passkey === null && qr !== null) this.#emitQr(qr, true);
  }

  #rotateQrSecret(): void {
    if (this.#passkey !== null) return;
    const qr = this.#deps.pairing.rotateSecret();
    if (qr !== null) this.#emitQr(qr);
  }

  #refusePasskey({ sock }: LiveSocket): void {
    for (const name of PASSKEY_NOTIFICATIONS) {
      const unsupported = (): void => this.#events.failed({ code: 401, reason: "passkey_unsupported", next: "stop" });
      sock.ws.on(`CB:notification,type:${name}`, unsupported);
      sock.ws.on(`CB:notification,,${name}`, unsupported);
    }
  }

  #listenToPasskey(live: LiveSocket): void {
    const { ws } = live.sock;
    ws.on("CB:iq,type:set,pair-device", addSpareReferences);
    ws.on("CB:notification,type:passkey_prologue_request", (notice: BinaryNode) => void this.#askForPasskey(live, notice));
    ws.on("CB:notification,type:crsc_continuation", (notice: BinaryNode) => void this.#goOnWithPasskey(live, notice));
  }

  async #askForPasskey(live: LiveSocket, notice: BinaryNode): Promise<void> {
    // Runs again if the phone scans the same code twice. Keeps the proof that this device knew the code's secret.
    const passkey = (this.#passkey ??= new PasskeyCeremony(live.sock, this.#deps.auth.creds));
    const options = await passkey.options(notice);
    if (live !== this.#live || this.#passkey !== passkey) return;
    this.#deps.logger.info({ readable: options.ok }, "pairing.passkey_wanted");
    if (!options.ok) return live.terminate();
    this.#endPasskeyLater();
    const timestamp = this.#seconds();
    this.#deps.emit({ type: "session.passkey", options: options.value, expires_at: timestamp + PASSKEY_SECONDS, timestamp });
  }

  async #goOnWithPasskey(live: LiveSocket, notice: BinaryNode): Promise<void> {
    try {
      if (this.#passkey === null) throw new Error("the phone continues a passkey exchange that was not started");
      await this.#passkey.continue(notice);
    } catch (error) {
      this.#deps.logger.warn(errorFacts(error), "pairing.passkey_failed");
      live.terminate();
    }
  }

  /** The proof sent with the assertion expires. Linking then fails, and the user has to start over. */
  #endPasskeyLater(): void {
    clearTimeout(this.#passkeyTimer);
    const end = (): void => this.#events.failed({ code: 408, reason: "passkey_timeout", next: "stop" });
    this.#passkeyTimer = setTimeout(end, PASSKEY_SECONDS * 1000).unref();
  }

  #seconds(): number {
    return Math.floor(this.#deps.now() / 1000);
  }
}

/** Returns true if the notice retires the pairing code. Such a notice lacks the phone's keys, and the library throws without them. */
function isCodeRetired(notice: BinaryNode): boolean {
  const content = getBinaryNodeChild(notice, "link_code_companion_reg");
  const keys = ["link_code_pairing_ref", "primary_identity_pub", "link_code_pairing_wrapped_primary_ephemeral_pub"];
  return keys.some((key) => getBinaryNodeChildBuffer(content, key) === undefined);
}

function qrTimeout(): Error {
  return Object.assign(new Error("QR refs attempts ended"), { output: { statusCode: 408 } });
}
