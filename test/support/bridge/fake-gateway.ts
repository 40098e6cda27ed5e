// An in-memory gateway for the bridge's sockets: a pool that places sessions, and Connection objects that store reported events. Store
// round trips can be slow or go unanswered. It runs in the test's process, so it survives killed bridges.
import { randomBytes, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer, type WebSocket } from "ws";
import { makeBridgeCredential } from "@gateway/domain/keys/bridge-credential.ts";
import {
  CONTROL_CLOSE,
  FromBridgeControl,
  type ToBridgeControl,
  type ClientVersionSetting,
  type ProxyCheck,
  type ProxyCheckResult,
} from "@gateway/protocol/bridge-socket.ts";
import type { CommandInput, CommandName } from "@gateway/protocol/commands.ts";
import type { KeyedEvent, NetworkEvent } from "@gateway/protocol/events.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";
import { type BridgeHome, INTERNAL, SESSION_TICKET_HEADER } from "@gateway/protocol/internal-http.ts";
import { COLD_ROWS, FromBridge, PING, PONG, SESSION_CLOSE, type SessionSettings, type ToBridge } from "@gateway/protocol/session-socket.ts";
import { secretsOf } from "../../domain/keys/secrets-of.ts";
import { eventually } from "../eventually.ts";

export const BRIDGE_CREDENTIAL = makeBridgeCredential(secretsOf("a-secret-that-the-gateway-keeps-to-itself"), "bridge");
const AUTHORIZATION = `Bearer ${BRIDGE_CREDENTIAL}`;
const WAIT_TIMEOUT_MS = 60_000;
/** Longer than a real object's, because on a busy machine the bridge would refuse sends that it had no time for. */
const DEADLINE_MS = 120_000;

const SETTINGS: SessionSettings = {
  proxy_url: null,
  device_name: "Gateway",
  sync_history: "recent",
  always_online: false,
  download_media: true,
  media_retention_days: 7,
  ignore_groups: false,
  ignore_channels: false,
  ignore_status: false,
};

type Commit = Extract<FromBridge, { type: "commit" }>;

export type StoredFile = { bytes: Buffer; mimetype: string; filename: string | null };

/** Body of the gateway's own refusals. */
export const REFUSAL = JSON.stringify({ error: { code: "refused" } });

export class FakeGateway {
  /** Time between a commit and its `stored`; the commit is applied halfway through. */
  roundTripMs = 0;
  /** If set, a commit that writes a row of this type is applied, and confirmed once `until` has resolved. */
  withheld: { rowType: string; until: Promise<void> } | null = null;
  /** Leaves commits unapplied and unanswered. */
  silent = false;
  /** Refuses bridges, as if the secret behind their credential no longer existed. */
  refusing = false;
  /** If true, a ping is a sign of life, as in the real pool. `pings`: how many arrived. */
  countsPings = false;
  pings = 0;
  /** Rejects dials to objects; `unheard` counts them. */
  deaf = false;
  unheard = 0;
  /** Response to a bridge that asks for its pool. */
  home: BridgeHome | null = null;
  readonly connections = new Map<string, FakeConnection>();
  readonly files = new Map<string, StoredFile>();
  readonly #server: Server;
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #bridges = new Map<WebSocket, { id: string; loads: number }>();
  readonly #pendingFrames: ToBridgeControl[] = [];
  /** Tickets presented to the exit address. */
  readonly exitTickets: string[] = [];
  /** Control frames received from bridges, oldest first. */
  readonly controlFrames: FromBridgeControl[] = [];

  constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.on("upgrade", (request, socket, head) => {
      const path = request.url ?? "";
      if (this.deaf && path !== "/internal/bridges") {
        this.unheard += 1;
        socket.end("HTTP/1.1 503 Service Unavailable\r\n\r\n");
        return;
      }
      if (this.refusing || request.headers.authorization !== AUTHORIZATION) {
        socket.end(`HTTP/1.1 401 Unauthorized\r\nContent-Length: ${REFUSAL.length}\r\n\r\n${REFUSAL}`);
        return;
      }
      this.#sockets.handleUpgrade(request, socket, head, (ws) =>
        path === "/internal/bridges" ? this.#bridge(ws) : this.#session(ws, request),
      );
    });
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get bridges(): number {
    return this.#bridges.size;
  }

  connection(settings: Partial<SessionSettings> = {}): FakeConnection {
    const connection = new FakeConnection(this, randomUUID(), { ...SETTINGS, ...settings });
    this.connections.set(connection.id, connection);
    return connection;
  }

  /** Asks a bridge (the newest, or the first to connect) to host the connection. */
  place(connection: FakeConnection): void {
    connection.generation += 1;
    const ticket = connection.newTicket();
    this.#tell({ type: "open", placement: { connection: connection.id, generation: connection.generation }, ticket });
  }

  /** Closes every session socket, as a deploy does. */
  dropSessions(): void {
    for (const connection of this.connections.values()) connection.socket?.terminate();
  }

  /** Tells the bridge that the pool does not know this session. */
  disown({ id, generation }: FakeConnection): void {
    this.#tell({ type: "close", placement: { connection: id, generation } });
  }

  /** Replaces the newest bridge by another process with the same credential. */
  replaceBridge(): void {
    [...this.#bridges.keys()].at(-1)?.close(CONTROL_CLOSE.replaced);
  }

  drain(): void {
    this.#tell({ type: "drain" });
  }

  /** Closes the bridges' control sockets. */
  dropBridges(): void {
    for (const bridge of this.#bridges.keys()) bridge.terminate();
  }

  setClientVersion(setting: ClientVersionSetting): void {
    this.#tell({ type: "client_version", ...setting });
  }

  /** Makes the bridge check a proxy, and resolves to the result. */
  async checkProxy(url: string, how: Partial<ProxyCheck> = {}): Promise<ProxyCheckResult> {
    const check = this.askCheck(url, how);
    const said = await eventually("the check's result", WAIT_TIMEOUT_MS, () =>
      this.controlFrames.find((frame) => frame.type === "proxy_checked" && frame.check === check),
    );
    return (said as Extract<FromBridgeControl, { type: "proxy_checked" }>).result;
  }

  /** Like `checkProxy`, without waiting; returns the check's name. */
  askCheck(url: string, how: Partial<ProxyCheck> = {}): string {
    const check = randomUUID();
    this.#tell({
      type: "check_proxy",
      check,
      url,
      reach: "network",
      exit_ticket: null,
      start_within_ms: WAIT_TIMEOUT_MS,
      urgent: false,
      ...how,
    });
    return check;
  }

  #tell(frame: ToBridgeControl): void {
    const bridge = [...this.#bridges.keys()].at(-1);
    if (bridge === undefined) this.#pendingFrames.push(frame);
    else bridge.send(JSON.stringify(frame));
  }

  #bridge(ws: WebSocket): void {
    ws.on("message", (data) => {
      const text = (data as Buffer).toString();
      if (text === PING) {
        this.pings += 1;
        ws.send(PONG);
        return;
      }
      const frame = FromBridgeControl.parse(JSON.parse(text));
      this.controlFrames.push(frame);
      if (frame.type !== "hello") return;
      if (this.countsPings && frame.pings === true) ws.send(JSON.stringify({ type: "pings" } satisfies ToBridgeControl));
      this.#bridges.set(ws, { id: frame.bridge_id, loads: 0 });
      for (const pending of this.#pendingFrames.splice(0)) ws.send(JSON.stringify(pending));
    });
    ws.on("close", () => this.#bridges.delete(ws));
  }

  #session(ws: WebSocket, request: IncomingMessage): void {
    const connection = this.connections.get((request.url ?? "").split("/").at(-1) ?? "");
    const ticket = String(request.headers[SESSION_TICKET_HEADER]);
    if (connection === undefined || !connection.takesTicket(ticket)) ws.close(SESSION_CLOSE.fenced);
    else connection.accept(ws);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Mimics an edge with Browser Integrity Check.
    if (request.headers["user-agent"] === undefined) {
      response.writeHead(403).end();
      return;
    }
    if (request.url === INTERNAL.exitAddress) {
      this.exitTickets.push(request.headers.authorization ?? "");
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ ip: "198.51.100.7", country: "BR" }));
      return;
    }
    if (request.headers.authorization !== AUTHORIZATION) {
      response.writeHead(401).end(REFUSAL);
      return;
    }
    // The gateway does not assign a pool by default.
    if (request.url?.startsWith(INTERNAL.home)) {
      if (this.home === null) response.writeHead(404).end(REFUSAL);
      else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(this.home));
      return;
    }
    const token = (request.url ?? "").split("/").at(4);
    if (request.method === "GET" && token !== undefined) {
      const file = this.files.get(token);
      if (file === undefined) response.writeHead(404).end(REFUSAL);
      else response.writeHead(200, { "content-type": file.mimetype, "content-length": file.bytes.length }).end(file.bytes);
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const stored = randomBytes(9).toString("base64url");
    const name = request.headers["x-media-filename"];
    const filename = typeof name === "string" ? decodeURIComponent(name) : null;
    this.files.set(stored, { bytes: Buffer.concat(chunks), mimetype: request.headers["content-type"] ?? "", filename });
    response
      .writeHead(201, { "content-type": "application/json" })
      .end(JSON.stringify({ token: stored, size: Buffer.concat(chunks).length }));
  }
}

/** The state of one Connection object. */
export class FakeConnection {
  readonly id: string;
  generation = 0;
  settings: SessionSettings;
  readonly rows = new Map<string, string>();
  /** New events, in order. */
  readonly events: NetworkEvent[] = [];
  /** All reported events, including repeated ones. */
  readonly reported: KeyedEvent[] = [];
  commits = 0;
  /** Leaves only this connection's commits and reads unanswered. */
  silent = false;
  /** The connection is being removed and its settings are gone. A session that dials again must unlink its device. */
  removed = false;
  socket: WebSocket | null = null;
  readonly #gateway: FakeGateway;
  readonly #stateKey = randomBytes(32).toString("base64");
  readonly #tickets = new Set<string>();
  readonly #keys = new Set<string>();
  readonly #asked = new Map<number, (outcome: Outcome<string>) => void>();
  #storedThrough = { generation: 0, seq: 0 };
  #lastId = 0;
  #fatal: { suits: (frame: Commit) => boolean; deed: () => void } | null = null;

  constructor(gateway: FakeGateway, id: string, settings: SessionSettings) {
    this.#gateway = gateway;
    this.id = id;
    this.settings = settings;
  }

  newTicket(): string {
    const ticket = randomBytes(12).toString("hex");
    this.#tickets.add(`${this.generation}:${ticket}`);
    return ticket;
  }

  takesTicket(ticket: string): boolean {
    return this.#tickets.delete(`${this.generation}:${ticket}`);
  }

  accept(ws: WebSocket): void {
    const { generation } = this;
    this.socket?.close(SESSION_CLOSE.fenced);
    this.socket = ws;
    ws.on("message", (data) => {
      const frame = FromBridge.parse(JSON.parse((data as Buffer).toString()));
      // Ignores frames from an older generation, no matter when they arrive.
      if (generation === this.generation && ws === this.socket) this.#received(ws, frame);
    });
    ws.on("close", () => {
      if (this.socket === ws) this.socket = null;
    });
  }

  /** Events of one type, oldest first. */
  of<T extends NetworkEvent["type"]>(type: T): Extract<NetworkEvent, { type: T }>[] {
    return this.events.filter((event): event is Extract<NetworkEvent, { type: T }> => event.type === type);
  }

  /** Resolves to the first matching event of this type, past or future. */
  saw<T extends NetworkEvent["type"]>(
    type: T,
    suits: (event: Extract<NetworkEvent, { type: T }>) => boolean = () => true,
    withinMs = WAIT_TIMEOUT_MS,
  ): Promise<Extract<NetworkEvent, { type: T }>> {
    return eventually(`${type} at the connection`, withinMs, () => this.of(type).find(suits));
  }

  rowsOf(type: string): string[] {
    return [...this.rows.keys()].filter((key) => key.startsWith(`${type}|`));
  }

  async command<N extends CommandName>(name: N, input: CommandInput<N>, deadlineMs = DEADLINE_MS): Promise<Outcome<string>> {
    const ws = this.socket;
    if (ws === null) return { ok: false, failure: { code: "instance_reconnecting" } };
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = new Promise<Outcome<string>>((resolve) => this.#asked.set(id, resolve));
    this.#send(ws, {
      type: "command",
      id,
      name,
      input: JSON.stringify(input),
      deadline_ms: deadlineMs,
    });
    return answer;
  }

  /** Applies the first matching commit without answering it, then runs `deed`. Resolves once `deed` is done. */
  dieAfter(suits: (frame: Commit) => boolean, deed: () => Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      this.#fatal = { suits, deed: () => void deed().then(resolve) };
    });
  }

  /** Changes the settings as the owner does. */
  change(settings: Partial<SessionSettings>): void {
    this.settings = { ...this.settings, ...settings };
    if (this.socket !== null) this.#send(this.socket, { type: "settings", settings: this.settings });
  }

  /** `finishMs`: time for running work to finish. */
  stop(logout: boolean, finishMs?: number): void {
    if (this.socket !== null) this.#send(this.socket, { type: "stop", logout, ...(finishMs !== undefined && { finish_ms: finishMs }) });
  }

  #received(ws: WebSocket, frame: FromBridge): void {
    switch (frame.type) {
      case "hello":
        return this.#welcome(ws, frame.has_state);
      case "commit":
        return this.#commit(ws, frame);
      case "fetch":
        if (this.silent) return;
        return this.#later(() => this.#send(ws, { type: "rows", id: frame.id, rows: frame.keys.flatMap((key) => this.#row(key)) }));
      case "result":
        return this.#answered(frame.id, { ok: true, value: frame.value });
      case "failed":
        return this.#answered(frame.id, { ok: false, failure: frame.failure });
    }
  }

  #welcome(ws: WebSocket, hasState: boolean): void {
    if (this.removed) this.#send(ws, { type: "stop", logout: true });
    if (this.#storedThrough.generation !== this.generation) this.#storedThrough = { generation: this.generation, seq: 0 };
    this.#send(ws, {
      type: "welcome",
      state_key: this.#stateKey,
      resume_ticket: this.newTicket(),
      stored_through: this.#storedThrough.seq,
      settings: this.removed ? SETTINGS : this.settings,
    });
    if (hasState) return;
    const cold = (key: string): boolean => COLD_ROWS.some((type) => key.startsWith(`${type}|`));
    this.#send(ws, { type: "load", rows: [...this.rows].filter(([key]) => !cold(key)), last: true });
  }

  #commit(ws: WebSocket, frame: Commit): void {
    if (this.#gateway.silent || this.silent) return;
    const { generation } = this;
    this.#after(this.#gateway.roundTripMs / 2, () => {
      if (generation !== this.generation || this.#gateway.silent) return;
      if (frame.seq > this.#storedThrough.seq) this.#apply(frame);
      if (this.#fatal?.suits(frame) === true) {
        this.#fatal.deed();
        this.#fatal = null;
        return;
      }
      const confirm = (): void => this.#send(ws, { type: "stored", seq: frame.seq });
      const { withheld, roundTripMs } = this.#gateway;
      if (withheld !== null && frame.rows.some(([key]) => key.startsWith(`${withheld.rowType}|`))) void withheld.until.then(confirm);
      else this.#after(roundTripMs / 2, confirm);
    });
  }

  #apply(frame: Commit): void {
    if (frame.seq !== this.#storedThrough.seq + 1) throw new Error(`commit ${frame.seq} after ${this.#storedThrough.seq}`);
    this.#storedThrough.seq = frame.seq;
    this.commits += 1;
    for (const [key, value] of frame.rows) {
      if (value === null) this.rows.delete(key);
      else this.rows.set(key, value);
    }
    for (const keyed of frame.events) {
      this.reported.push(keyed);
      if (keyed.key !== null && this.#keys.has(keyed.key)) continue;
      if (keyed.key !== null) this.#keys.add(keyed.key);
      this.events.push(keyed.event);
    }
  }

  #row(key: string): [string, string][] {
    const value = this.rows.get(key);
    return value === undefined ? [] : [[key, value]];
  }

  #answered(id: number, outcome: Outcome<string>): void {
    this.#asked.get(id)?.(outcome);
    this.#asked.delete(id);
  }

  #send(ws: WebSocket, frame: ToBridge): void {
    if (ws.readyState === ws.OPEN) ws.send(JSON.stringify(frame));
  }

  #later(work: () => void): void {
    this.#after(this.#gateway.roundTripMs, work);
  }

  #after(ms: number, work: () => void): void {
    if (ms === 0) work();
    else setTimeout(work, ms);
  }
}
