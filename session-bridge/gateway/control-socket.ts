import type { IncomingMessage } from "node:http";
import { WebSocket } from "ws";
import { parseJson } from "@gateway/protocol/json.ts";
import {
  CONTROL_CLOSE,
  LOAD_REPEAT_MS,
  LOAD_REPORT_INTERVAL_MS,
  ToBridgeControl,
  type FromBridgeControl,
} from "@gateway/protocol/bridge-socket.ts";
import { DEFAULT_POOL, INTERNAL } from "@gateway/protocol/internal-http.ts";
import { PING } from "@gateway/protocol/session-socket.ts";
import { backoffMs } from "../reconnect-delays.ts";
import { isOwnRefusal, USER_AGENT } from "./refusals.ts";

const REDIAL_FIRST_MS = 200;
const REDIAL_CAP_MS = 5_000;
/** Two processes with the same credential would take over each other's sessions in a loop, which this backoff slows down. */
const REPLACED_FIRST_MS = 60_000;
const REPLACED_CAP_MS = 3_600_000;
const HANDSHAKE_TIMEOUT_MS = 10_000;
/** Six consecutive 401s take about ten seconds. After that, the credential is considered invalid. */
const MAX_REFUSALS = 6;
const SILENCE_TIMEOUT_MS = 3 * LOAD_REPORT_INTERVAL_MS;

type Hello = Extract<FromBridgeControl, { type: "hello" }>;

export type ControlSocketOptions = {
  gatewayUrl: URL;
  credential: string;
  pool: string | null;
  hello(): Hello;
  load(): Load;
  received(frame: Exclude<ToBridgeControl, { type: "pings" }>): void;
  /** The upgrade was rejected, by the gateway itself (`own`) or by a proxy in front of it. */
  rejected(status: number, own: boolean): void;
  credentialDead(): void;
  connected(): void;
  /** Another process with the same credential has taken over the sessions. The socket redials after `waitMs`. */
  replaced(waitMs: number): void;
};

export class ControlSocket {
  readonly #options: ControlSocketOptions;
  #socket: WebSocket | null = null;
  #attempt = 0;
  #refusals = 0;
  #replaced = 0;
  #lastReceivedAt = 0;
  /** True if the pool treats pings as a sign of life, so that an unchanged load need not be reported. */
  #pingsCount = false;
  #reported: { load: Load; at: number } | null = null;
  #redialTimer: NodeJS.Timeout | undefined;
  #reportTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: ControlSocketOptions) {
    this.#options = options;
  }

  get connected(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  dial(): void {
    const url = new URL(INTERNAL.bridges, this.#options.gatewayUrl);
    url.protocol = url.protocol.replace("http", "ws");
    const { pool } = this.#options;
    if (pool !== null && pool !== DEFAULT_POOL) url.searchParams.set("pool", pool);
    const socket = new WebSocket(url, {
      headers: { ...USER_AGENT, authorization: `Bearer ${this.#options.credential}` },
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      perMessageDeflate: false,
    });
    this.#socket = socket;
    socket.on("open", () => this.#opened());
    socket.on("message", (data) => this.#received((data as Buffer).toString()));
    socket.on("pong", () => {
      this.#lastReceivedAt = performance.now();
    });
    socket.on("unexpected-response", (_request, response) => void this.#refused(socket, response));
    // Does not reconnect here, because `close` always follows `error`.
    socket.on("error", () => undefined);
    socket.on("close", (code) => this.#lost(code));
  }

  send(frame: FromBridgeControl): void {
    if (this.connected) this.#socket?.send(JSON.stringify(frame));
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#redialTimer);
    clearInterval(this.#reportTimer);
    this.#socket?.close(1000);
  }

  async #refused(socket: WebSocket, response: IncomingMessage): Promise<void> {
    const status = response.statusCode ?? 0;
    const own = await isOwnRefusal(response);
    socket.terminate();
    this.#options.rejected(status, own);
    this.#refusals = own && status === 401 ? this.#refusals + 1 : 0;
    if (this.#refusals === MAX_REFUSALS) this.#options.credentialDead();
  }

  #opened(): void {
    this.#attempt = 0;
    this.#refusals = 0;
    this.#pingsCount = false;
    this.send(this.#options.hello());
    this.#report(this.#options.load());
    this.#lastReceivedAt = performance.now();
    this.#reportTimer = setInterval(() => this.#showSign(), LOAD_REPORT_INTERVAL_MS);
    this.#options.connected();
  }

  #showSign(): void {
    // A connection without incoming traffic is dead, even if the operating system considers it open.
    if (performance.now() - this.#lastReceivedAt > SILENCE_TIMEOUT_MS) this.#socket?.terminate();
    const load = this.#options.load();
    if (this.#isToReport(load)) this.#report(load);
    if (!this.connected) return;
    if (this.#pingsCount) this.#socket?.send(PING);
    else this.#socket?.ping();
  }

  #isToReport(load: Load): boolean {
    if (!this.#pingsCount || this.#reported === null) return true;
    return performance.now() - this.#reported.at >= LOAD_REPEAT_MS || hasChanged(this.#reported.load, load);
  }

  #report(load: Load): void {
    this.#reported = { load, at: performance.now() };
    this.send(load);
  }

  #received(text: string): void {
    this.#lastReceivedAt = performance.now();
    const parsed = ToBridgeControl.safeParse(parseJson(text));
    if (!parsed.success) return;
    if (parsed.data.type === "pings") this.#pingsCount = true;
    else this.#options.received(parsed.data);
  }

  #lost(code: number): void {
    clearInterval(this.#reportTimer);
    if (this.#closed) return;
    const waitMs = code === CONTROL_CLOSE.replaced ? this.#replacedWaitMs() : this.#redialWaitMs();
    this.#redialTimer = setTimeout(() => this.dial(), waitMs);
  }

  #redialWaitMs(): number {
    this.#attempt += 1;
    return backoffMs(this.#attempt, REDIAL_FIRST_MS, REDIAL_CAP_MS);
  }

  #replacedWaitMs(): number {
    this.#replaced += 1;
    const waitMs = backoffMs(this.#replaced, REPLACED_FIRST_MS, REPLACED_CAP_MS);
    this.#options.replaced(waitMs);
    return waitMs;
  }
}

export type Load = Extract<FromBridgeControl, { type: "load" }>;

const SHARE = 0.1;
/** In fractions of one core. Smaller changes are not reported, because even an idle process's CPU usage varies this much. */
const CPU = 0.1;

function hasChanged(before: Load, now: Load): boolean {
  if (Math.abs(before.cpu - now.cpu) > CPU) return true;
  if (isFar(before.sessions, now.sessions) || isFar(before.rss_mb, now.rss_mb) || isFar(before.away, now.away)) return true;
  const announced = ({ client_version, served_version }: Load): string => JSON.stringify([client_version, served_version]);
  return announced(before) !== announced(now) || haveTroublesChanged(before, now);
}

function haveTroublesChanged({ troubles: before = [] }: Load, { troubles: now = [] }: Load): boolean {
  const had = new Map(before.map(({ kind, code, sessions }) => [`${kind} ${code}`, sessions]));
  const have = new Map(now.map(({ kind, code, sessions }) => [`${kind} ${code}`, sessions]));
  return [...new Set([...had.keys(), ...have.keys()])].some((name) => isFar(had.get(name), have.get(name)));
}

function isFar(a = 0, b = 0): boolean {
  return Math.abs(a - b) > SHARE * Math.max(a, b);
}
