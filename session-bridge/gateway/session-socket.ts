// The socket to one Connection object. Reconnects with the ticket from the last welcome. The session then resends unconfirmed frames.
import type { IncomingMessage } from "node:http";
import { WebSocket } from "ws";
import { parseJson } from "@gateway/protocol/json.ts";
import { INTERNAL, SESSION_TICKET_HEADER } from "@gateway/protocol/internal-http.ts";
import { REDIAL, SESSION_CLOSE, ToBridge, type FromBridge } from "@gateway/protocol/session-socket.ts";
import { LossSpread } from "../loss-spread.ts";
import { backoffMs } from "../reconnect-delays.ts";
import type { Dial, DialQueue } from "./dial-queue.ts";
import { isOwnRefusal, USER_AGENT } from "./refusals.ts";

export const REDIAL_FIRST_MS = 200;
/** Close codes for a dropped connection and a restarting gateway. */
const CUT_CLOSES: ReadonlySet<number> = new Set([1006, 1012]);
/** A socket without a frame or pong for this long is dead, even if the operating system considers it open. */
const SILENCE_TIMEOUT_MS = 30_000;
/** Spreads reconnects to ten a second per bridge, because a deploy drops the sockets of all bridges at once. */
export const sessionSocketLosses = (random?: () => number): LossSpread =>
  new LossSpread({ windowMs: 1_000, least: 10, share: 0, eachMs: 100, atMostMs: REDIAL.spreadMs }, random);

/** A socket that lasted this long counts as stable, so its loss does not increase the redial delay. */
const STABLE_MS = 30_000;

const FINAL_STATUSES = new Set([400, 401, 403, 404, 410]);

export type Welcome = Extract<ToBridge, { type: "welcome" }>;

export type SessionSocketEvents = {
  welcomed(welcome: Welcome): void;
  received(frame: Exclude<ToBridge, Welcome>): void;
  ended(how: "fenced" | "stopped"): void;
  redialling(): void;
};

export type SessionSocketOptions = {
  gatewayUrl: URL;
  connection: string;
  generation: number;
  bridgeId: string;
  credential: string;
  ticket: string;
  hasState(): boolean;
  /** True if outgoing data is waiting. A lost socket then redials immediately. */
  isWaiting(): boolean;
  losses: LossSpread;
  dials: DialQueue;
};

export class SessionSocket {
  readonly #options: SessionSocketOptions;
  readonly #events: SessionSocketEvents;
  readonly #dial: Dial = {
    timeouts: 0,
    isWanted: () => this.#isWanted || this.#options.isWaiting(),
    begin: () => this.#begin(),
    timedOut: () => this.#timedOut(),
  };
  #ticket: string;
  #socket: WebSocket | null = null;
  #welcomed = false;
  #welcomedAt = 0;
  #attempt = 0;
  #redialTimer: NodeJS.Timeout | undefined;
  #isDelayed = false;
  #isWanted = false;
  #silenceTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: SessionSocketOptions, events: SessionSocketEvents) {
    this.#options = options;
    this.#events = events;
    this.#ticket = options.ticket;
  }

  get connected(): boolean {
    return this.#welcomed;
  }

  dial(): void {
    this.#options.dials.add(this.#dial);
  }

  send(frame: FromBridge | string): void {
    if (!this.#welcomed || this.#socket === null) return;
    this.#socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  redial(ageMs: number): void {
    this.dialNow();
    if (!this.#welcomed || performance.now() - this.#welcomedAt < ageMs) return;
    this.#welcomed = false;
    this.#socket?.terminate();
  }

  /** Dials now if the reconnect was delayed, because a caller is waiting for the session. */
  dialNow(): void {
    this.#isWanted = true;
    if (!this.#isDelayed || this.#closed) return;
    this.#isDelayed = false;
    clearTimeout(this.#redialTimer);
    this.dial();
  }

  close(): void {
    this.#closed = true;
    this.#stopWaiting();
    this.#socket?.close(1000);
  }

  #begin(): void {
    const url = new URL(INTERNAL.session(this.#options.connection), this.#options.gatewayUrl);
    url.protocol = url.protocol.replace("http", "ws");
    const socket = new WebSocket(url, {
      headers: { ...USER_AGENT, authorization: `Bearer ${this.#options.credential}`, [SESSION_TICKET_HEADER]: this.#ticket },
      perMessageDeflate: false,
    });
    this.#socket = socket;
    socket.on("open", () => this.#opened(socket));
    socket.on("message", (data) => this.#received(socket, data));
    socket.on("pong", () => this.#restartSilenceTimer(socket));
    socket.on("unexpected-response", (_request, response) => void this.#refused(socket, response));
    socket.on("error", () => undefined);
    socket.on("close", (code) => this.#lost(socket, code));
  }

  async #refused(socket: WebSocket, response: IncomingMessage): Promise<void> {
    const isFinal = FINAL_STATUSES.has(response.statusCode ?? 0) && (await isOwnRefusal(response));
    if (isFinal && socket === this.#socket) this.#end("fenced");
    socket.terminate();
  }

  #timedOut(): void {
    // Terminates only a connecting socket. An open one has already used its ticket in the hello, and its welcome may still arrive.
    if (this.#socket?.readyState === WebSocket.CONNECTING) this.#socket.terminate();
  }

  #opened(socket: WebSocket): void {
    const { generation, bridgeId } = this.#options;
    const hello: FromBridge = { type: "hello", generation, bridge_id: bridgeId, has_state: this.#options.hasState() };
    socket.send(JSON.stringify(hello));
    this.#restartSilenceTimer(socket);
  }

  #received(socket: WebSocket, data: WebSocket.RawData): void {
    if (socket !== this.#socket || this.#closed) return;
    this.#restartSilenceTimer(socket);
    const parsed = ToBridge.safeParse(parseJson((data as Buffer).toString()));
    if (!parsed.success) {
      socket.close(SESSION_CLOSE.badFrame);
      return;
    }
    const frame = parsed.data;
    if (frame.type === "stored") this.#attempt = 0;
    if (frame.type !== "welcome") {
      this.#events.received(frame);
      return;
    }
    this.#ticket = frame.resume_ticket;
    this.#dial.timeouts = 0;
    this.#options.dials.done(this.#dial);
    this.#welcomed = true;
    this.#welcomedAt = performance.now();
    this.#events.welcomed(frame);
  }

  #restartSilenceTimer(socket: WebSocket): void {
    clearTimeout(this.#silenceTimer);
    this.#silenceTimer = setTimeout(() => {
      if (socket.readyState === socket.OPEN) socket.ping();
      this.#silenceTimer = setTimeout(() => socket.terminate(), SILENCE_TIMEOUT_MS / 2);
    }, SILENCE_TIMEOUT_MS / 2);
  }

  #lost(socket: WebSocket, code: number): void {
    if (socket !== this.#socket || this.#closed) return;
    this.#stopWaiting();
    const wasCut = this.#welcomed && CUT_CLOSES.has(code);
    if (this.#welcomed && performance.now() - this.#welcomedAt >= STABLE_MS) this.#attempt = 0;
    if (this.#welcomed) this.#isWanted = false;
    this.#welcomed = false;
    if (code === SESSION_CLOSE.fenced) this.#end("fenced");
    else if (code === SESSION_CLOSE.stopped) this.#end("stopped");
    else this.#redialLater(wasCut);
  }

  #redialLater(wasCut: boolean): void {
    if (this.#closed) return;
    this.#attempt += 1;
    this.#events.redialling();
    if (wasCut) this.#options.losses.lost(performance.now());
    const waitMs = backoffMs(this.#attempt, REDIAL_FIRST_MS, REDIAL.capMs);
    this.#redialTimer = setTimeout(() => (wasCut ? this.#dialSpread() : this.dial()), waitMs);
  }

  /** Runs once all sockets lost at the same time have been counted, because the delay depends on their number. */
  #dialSpread(): void {
    const waitMs = this.#options.losses.waitMs(performance.now(), 0);
    if (waitMs === 0 || this.#isWanted || this.#options.isWaiting()) return this.dial();
    this.#isDelayed = true;
    this.#redialTimer = setTimeout(() => this.dialNow(), waitMs);
  }

  #end(how: "fenced" | "stopped"): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#stopWaiting();
    this.#events.ended(how);
  }

  #stopWaiting(): void {
    this.#isDelayed = false;
    this.#options.dials.done(this.#dial);
    clearTimeout(this.#silenceTimer);
    clearTimeout(this.#redialTimer);
  }
}
