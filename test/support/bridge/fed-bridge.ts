// Connections whose bridge is the test itself: it sends the contract's frames and reports invented messages. Everything behind
// the session socket is the product.
import { WebSocket } from "ws";
import { LOAD_REPORT_INTERVAL_MS, type FromBridgeControl, type ToBridgeControl } from "@gateway/protocol/bridge-socket.ts";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import { INTERNAL, SESSION_TICKET_HEADER } from "@gateway/protocol/internal-http.ts";
import { NO_EXTRAS } from "@gateway/protocol/message.ts";
import type { FromBridge, ToBridge } from "@gateway/protocol/session-socket.ts";
import { ask, type Reply } from "../clients.ts";
import { eventually } from "../eventually.ts";
import type { LoneGateway } from "./lone-gateway.ts";

const OWNER = "owner@example.com";
const SENDER = "5511920000009";
const CAPACITY = 1_000;
const WITHIN_MS = 60_000;

export type FedConnection = {
  uuid: string;
  apiKey: string;
  /** Calls a dashboard route below this connection; throws if it is refused. */
  call(method: string, path: string, json?: unknown): Promise<Reply>;
  /** Reports incoming texts in one commit; resolves once the gateway confirms that they are stored. */
  received(texts: readonly string[]): Promise<void>;
};

export class FedBridge {
  readonly #gateway: LoneGateway;
  readonly #control: WebSocket;
  readonly #token: string;
  readonly #report: NodeJS.Timeout;
  readonly #sessions = new Map<string, Session>();

  private constructor(gateway: LoneGateway, control: WebSocket, token: string) {
    this.#gateway = gateway;
    this.#control = control;
    this.#token = token;
    this.#say({ type: "hello", bridge_id: gateway.bridge.id, network: "local", capacity: CAPACITY, sessions: [] });
    this.#report = setInterval(
      () => this.#say({ type: "load", sessions: this.#sessions.size, rss_mb: 0, cpu: 0 }),
      LOAD_REPORT_INTERVAL_MS,
    );
    control.on("message", (data) => this.#onControlFrame(JSON.parse((data as Buffer).toString()) as ToBridgeControl));
  }

  static async dial(gateway: LoneGateway): Promise<FedBridge> {
    const { body } = await ask<{ access_token: string }>(`${gateway.url}/sandbox/token`, { json: { email: OWNER } });
    const control = await dialled(gateway, INTERNAL.bridges);
    return new FedBridge(gateway, control, body.access_token);
  }

  /** Creates a connection and connects it. */
  async connection(name: string): Promise<FedConnection> {
    const { id, instance_id: uuid } = (await this.call("POST", "/dashboard/connections", { name })).body.data as {
      id: number;
      instance_id: string;
    };
    const path = `/dashboard/connections/${id}`;
    await this.call("POST", `${path}/connect`);
    const session = await eventually("the session was opened", WITHIN_MS, () => this.#sessions.get(uuid));
    await session.welcomed;
    await session.commit([opened(id)]);
    const key = await this.call("POST", `${path}/keys`, { name: "fed" });
    return {
      uuid,
      apiKey: key.body.data.key as string,
      call: (method, under, json) => this.call(method, `${path}${under}`, json),
      received: (texts) => session.commit(texts.map(arrival)),
    };
  }

  /** Calls a route under `/api` as the owner of the connections; throws if it is refused. */
  async call(method: string, path: string, json?: unknown): Promise<Reply> {
    const headers = { authorization: `Bearer ${this.#token}` };
    const reply = await ask(`${this.#gateway.url}/api${path}`, { method, headers, ...(json === undefined ? {} : { json }) });
    if (reply.status >= 300) throw new Error(`${method} ${path} answered ${reply.status}: ${JSON.stringify(reply.body)}`);
    return reply;
  }

  close(): void {
    clearInterval(this.#report);
    this.#control.terminate();
    for (const session of this.#sessions.values()) session.close();
  }

  #say(frame: FromBridgeControl): void {
    if (this.#control.readyState === WebSocket.OPEN) this.#control.send(JSON.stringify(frame));
  }

  #onControlFrame(frame: ToBridgeControl): void {
    if (frame.type !== "open") return;
    const { connection, generation } = frame.placement;
    void dialled(this.#gateway, INTERNAL.session(connection), frame.ticket).then((socket) =>
      this.#sessions.set(connection, new Session(socket, this.#gateway.bridge.id, generation)),
    );
  }
}

class Session {
  readonly welcomed: Promise<void>;
  readonly #socket: WebSocket;
  readonly #welcome = Promise.withResolvers<void>();
  #seq = 0;
  /** Keeps one commit in flight while later events collect, as the real bridge does (session-bridge/store/write-behind-cache.ts). */
  #inFlight: Commit | null = null;
  #next: Commit = emptyCommit();

  constructor(socket: WebSocket, bridge: string, generation: number) {
    this.#socket = socket;
    this.welcomed = this.#welcome.promise;
    socket.on("message", (data) => this.#onSessionFrame(JSON.parse((data as Buffer).toString()) as ToBridge));
    this.#say({ type: "hello", generation, bridge_id: bridge, has_state: false });
  }

  /** Resolves once the events are stored. */
  commit(events: readonly NetworkEvent[]): Promise<void> {
    const { events: gathered, stored } = this.#next;
    gathered.push(...events);
    this.#send();
    return stored.promise;
  }

  close(): void {
    this.#socket.terminate();
  }

  #say(frame: FromBridge): void {
    this.#socket.send(JSON.stringify(frame));
  }

  #send(): void {
    if (this.#inFlight !== null || this.#next.events.length === 0) return;
    this.#inFlight = this.#next;
    this.#next = emptyCommit();
    this.#seq += 1;
    this.#say({ type: "commit", seq: this.#seq, rows: [], events: this.#inFlight.events.map((event) => ({ key: null, event })) });
  }

  #onSessionFrame(frame: ToBridge): void {
    if (frame.type === "welcome") this.#welcome.resolve();
    if (frame.type !== "stored") return;
    this.#inFlight?.stored.resolve();
    this.#inFlight = null;
    this.#send();
  }
}

type Commit = { events: NetworkEvent[]; stored: PromiseWithResolvers<void> };

const emptyCommit = (): Commit => ({ events: [], stored: Promise.withResolvers() });

async function dialled(gateway: LoneGateway, path: string, ticket?: string): Promise<WebSocket> {
  const authorization = `Bearer ${gateway.bridge.credential}`;
  const headers = ticket === undefined ? { authorization } : { authorization, [SESSION_TICKET_HEADER]: ticket };
  const socket = new WebSocket(`${gateway.url.replace("http", "ws")}${path}`, { headers, perMessageDeflate: false });
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  // The gateway may be killed while the socket is open; then nothing waits for a reply.
  socket.on("error", () => undefined);
  return socket;
}

const seconds = (): number => Math.floor(Date.now() / 1_000);

const opened = (id: number): NetworkEvent => ({
  type: "session.open",
  phone: `55119300${String(id).padStart(5, "0")}`,
  lid: null,
  profile_name: "Fed",
  is_business: false,
  platform: "android",
  timestamp: seconds(),
});

let messages = 0;

function arrival(text: string): NetworkEvent {
  messages += 1;
  return {
    type: "message.upsert",
    origin: "live",
    message: {
      message_id: `3EB0${String(messages).padStart(16, "0")}`,
      chat_id: `${SENDER}@c.us`,
      from_me: false,
      sender: { phone: SENDER, lid: null },
      push_name: "Sender",
      timestamp: seconds(),
      type: "text",
      text,
      media: null,
      ...NO_EXTRAS,
      raw: "cmF3",
    },
  };
}
