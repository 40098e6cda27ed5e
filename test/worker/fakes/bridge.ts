// A bridge that sends and receives only the contract's frames.
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { type Env, settingsOf } from "#root/src/env.ts";
import { makeBridgeCredential } from "@gateway/domain/keys/bridge-credential.ts";
import type { FromBridgeControl, Placement, ToBridgeControl } from "@gateway/protocol/bridge-socket.ts";
import type { KeyedEvent, NetworkEvent, SendSettled } from "@gateway/protocol/events.ts";
import type { Failure } from "@gateway/protocol/failures.ts";
import { DEFAULT_POOL, SESSION_TICKET_HEADER } from "@gateway/protocol/internal-http.ts";
import type { FromBridge, SessionSettings, StateRow, ToBridge } from "@gateway/protocol/session-socket.ts";
import { Frames } from "./frames.ts";

/** Headers of a bridge with this id. */
export const bridgeHeaders = (
  id: string,
  secrets = settingsOf(env as Env).BRIDGE_SECRET,
  ofPool: string = DEFAULT_POOL,
): { authorization: string } => ({
  authorization: `Bearer ${makeBridgeCredential(secrets, id, ofPool)}`,
});

export const pool = () => env.BRIDGE_POOL.getByName("default");
const connection = (uuid: string) => env.CONNECTION.getByName(uuid);

async function dial(
  stub: { fetch(url: string, init: RequestInit): Promise<Response> },
  headers: Record<string, string>,
): Promise<WebSocket> {
  const response = await stub.fetch("https://gateway/", { headers: { upgrade: "websocket", ...headers } });
  if (response.webSocket === null) throw new Error(`no socket: ${response.status}`);
  return response.webSocket;
}

export class FakeBridge {
  readonly id: string;
  readonly control: Frames<ToBridgeControl>;

  private constructor(id: string, socket: WebSocket) {
    this.id = id;
    this.control = new Frames(socket);
  }

  static async dial(
    options: {
      id?: string;
      capacity?: number;
      network?: "real" | "local";
      sessions?: Placement[];
      startedAt?: number;
      build?: string;
      at?: Parameters<typeof dial>[0];
      headers?: Record<string, string>;
    } = {},
  ): Promise<FakeBridge> {
    const { id = crypto.randomUUID(), capacity = 10, network = "local", sessions = [], at = pool(), headers = bridgeHeaders(id) } = options;
    const bridge = new FakeBridge(id, await dial(at, headers));
    const { startedAt, build } = options;
    const described = { ...(startedAt !== undefined && { started_at: startedAt }), ...(build !== undefined && { build }) };
    bridge.say({ type: "hello", bridge_id: id, network, capacity, sessions, ...described });
    return bridge;
  }

  say(frame: FromBridgeControl): void {
    this.control.send(frame);
  }

  /** Follows the pool's placement of this connection: connects to the session socket and sends hello. */
  async open(uuid: string): Promise<FakeSession> {
    const { placement, ticket } = await this.control.next("open", (frame) => frame.placement.connection === uuid);
    return FakeSession.dial(uuid, placement.generation, ticket, this.id);
  }

  leave(): void {
    this.control.socket.close(1000, "gone");
  }

  /** Disconnects and waits until the pool notices. */
  async left(): Promise<void> {
    this.leave();
    await vi.waitFor(async () => {
      const { bridges } = await pool().list();
      if (bridges.some(({ id, connected }) => id === this.id && connected)) throw new Error("still there");
    });
  }
}

export class FakeSession {
  readonly uuid: string;
  readonly generation: number;
  readonly bridge: string;
  readonly frames: Frames<ToBridge>;
  ticket = "";
  stateKey = "";
  storedThrough = 0;
  /** Settings the bridge received in its welcome frame. */
  settings: SessionSettings | null = null;
  /** Rows received in `load` frames. */
  rows = new Map<string, string>();
  seq = 0;
  /** Ignores stop requests. */
  stubborn = false;

  private constructor(uuid: string, generation: number, bridge: string, socket: WebSocket) {
    this.uuid = uuid;
    this.generation = generation;
    this.bridge = bridge;
    this.frames = new Frames(socket);
    void this.frames.seen("stop").then(() => this.stubborn || this.frames.socket.close(1000, "stopped"));
  }

  static async dial(
    uuid: string,
    generation: number,
    ticket: string,
    bridge: string,
    hasState = false,
    stubborn = false,
  ): Promise<FakeSession> {
    const headers = { ...bridgeHeaders(bridge), [SESSION_TICKET_HEADER]: ticket };
    const session = new FakeSession(uuid, generation, bridge, await dial(connection(uuid), headers));
    session.stubborn = stubborn;
    session.say({ type: "hello", generation, bridge_id: bridge, has_state: hasState });
    const refused = session.frames.closed.then(() => null);
    const welcome = await Promise.race([session.frames.next("welcome"), refused]);
    if (welcome === null) return session;
    session.ticket = welcome.resume_ticket;
    session.stateKey = welcome.state_key;
    session.storedThrough = welcome.stored_through;
    session.settings = welcome.settings;
    session.seq = welcome.stored_through;
    for (let last = hasState; !last;) {
      const load = await session.frames.next("load");
      for (const [key, value] of load.rows) session.rows.set(key, value);
      last = load.last;
    }
    return session;
  }

  /** The same process reconnects with its state cache. */
  async redial(stubborn = false): Promise<FakeSession> {
    return FakeSession.dial(this.uuid, this.generation, this.ticket, this.bridge, true, stubborn);
  }

  say(frame: FromBridge): void {
    this.frames.send(frame);
  }

  /** Sends the next commit and waits until it is stored. */
  async commit(events: readonly (NetworkEvent | KeyedEvent)[], rows: StateRow[] = []): Promise<void> {
    const seq = this.put(events, rows);
    await this.frames.next("stored", (frame) => frame.seq === seq);
  }

  /** Sends the next commit. */
  put(events: readonly (NetworkEvent | KeyedEvent)[], rows: StateRow[] = []): number {
    const seq = ++this.seq;
    this.say({ type: "commit", seq, rows, events: events.map((event) => ("event" in event ? event : { key: null, event })) });
    return seq;
  }

  /** Commands received but not yet answered or refused, by name. */
  get commands(): string[] {
    return this.frames.rest.filter((frame) => frame.type === "command").map(({ name }) => name);
  }

  /** Answers the next command with that name, and returns its input. */
  async answer(name: string, output: unknown = {}): Promise<unknown> {
    const command = await this.frames.next("command", (frame) => frame.name === name);
    this.say({ type: "result", id: command.id, ok: true, value: JSON.stringify(output) });
    return JSON.parse(command.input) as unknown;
  }

  /** Refuses the next command with that name. */
  async refuse(name: string, failure: Failure): Promise<void> {
    const command = await this.frames.next("command", (frame) => frame.name === name);
    this.say({ type: "failed", id: command.id, failure });
  }

  settle(messageId: string, outcome: SendSettled["outcome"]): Promise<void> {
    return this.commit([{ type: "send.settled", message_id: messageId, outcome }]);
  }

  /** Mimics a killed process, which sends no close frame. */
  drop(): void {
    this.frames.socket.close(1001, "gone");
  }
}
