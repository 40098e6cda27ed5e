// An unchanged Baileys client on the local test network: auth in memory, trust set up, every event kept so that no test
// has to listen before it acts.
import https from "node:https";
import {
  initAuthCreds,
  makeWASocket,
  type AnyMessageContent,
  type AuthenticationState,
  type BaileysEventMap,
  type MiscMessageGenerationOptions,
  type SignalDataSet,
  type UserFacingSocketConfig,
  type WAMessage,
  type WASocket,
} from "baileys";
import { trustLocalNetwork, verifySignaturesStrictly } from "#root/session-bridge/networks/baileys/socket/trust.ts";
import { quietConsole } from "#root/session-bridge/quiet-console.ts";
import { eventually } from "../eventually.ts";

quietConsole();
const nothing = (): void => {};
const silent: NonNullable<UserFacingSocketConfig["logger"]> = {
  level: "silent",
  child: () => silent,
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
};
const WAIT_TIMEOUT_MS = 60_000;

/** Where the network is and whom to trust, as the ready file of its process or a start in this process says. */
export interface Whereabouts {
  wsUrl: string;
  rootPublicKey: string;
  caPem: string;
  /** `host:port` of the files. */
  mediaHost: string;
  spareMediaHost?: string | undefined;
}

/** Who links the device: a simulated phone in this process, or a call of the control API. */
export type Scan = (qr: string) => Promise<unknown>;

/** Set up once per process, as the bridge does: the root to pin, the CA to trust, and signatures that are really checked. */
export function trust({ rootPublicKey, caPem }: Whereabouts): void {
  verifySignaturesStrictly();
  trustLocalNetwork(Buffer.from(rootPublicKey, "hex"), caPem);
}

export interface MemoryAuth extends AuthenticationState {
  /** By `type|id`. */
  readonly kept: Map<string, any>;
}

export function memoryAuth(): MemoryAuth {
  const kept = new Map<string, any>();
  return {
    kept,
    creds: initAuthCreds(),
    keys: {
      get: async (type, ids) =>
        Object.fromEntries(ids.flatMap((id) => (kept.has(`${type}|${id}`) ? [[id, kept.get(`${type}|${id}`)]] : []))),
      set: async (data: SignalDataSet) => {
        for (const [type, entries] of Object.entries(data)) {
          for (const [id, value] of Object.entries(entries ?? {})) {
            if (value === null || value === undefined) kept.delete(`${type}|${id}`);
            else kept.set(`${type}|${id}`, value);
          }
        }
      },
    },
  };
}

type Kept = { [E in keyof BaileysEventMap]: { event: E; data: BaileysEventMap[E] } }[keyof BaileysEventMap];

export class BaileysClient {
  readonly auth: MemoryAuth;
  readonly #where: Whereabouts;
  readonly #config: Partial<UserFacingSocketConfig>;
  readonly #events: Kept[] = [];
  /** Own messages by id: what a retry needs. */
  readonly #sent = new Map<string, WAMessage["message"]>();
  readonly closes: number[] = [];
  sock!: WASocket;
  #ended = false;

  constructor(where: Whereabouts, auth: MemoryAuth = memoryAuth(), config: Partial<UserFacingSocketConfig> = {}) {
    this.#where = where;
    this.auth = auth;
    this.#config = config;
  }

  /** `<phone>@s.whatsapp.net`, once linked. */
  get jid(): string {
    return (this.auth.creds.me?.id ?? "").replace(/:\d+@/, "@");
  }

  /** Connects (again after a 515) and keeps what happens; does not wait for anything. */
  connect(scan?: Scan): this {
    this.#ended = false;
    this.sock = makeWASocket({
      waWebSocketUrl: this.#where.wsUrl,
      auth: this.auth,
      logger: silent,
      fetchAgent: new https.Agent({ ca: this.#where.caPem }),
      getMessage: async ({ id }) => this.#sent.get(id ?? "") ?? undefined,
      // Else a receipt that comes at once is merged into the event of the own message (docs/internals/wire-protocol.md, "Messages and receipts").
      emitOwnEvents: false,
      ...this.#config,
    });
    this.sock.ev.process((batch) => {
      for (const [event, data] of Object.entries(batch)) this.#events.push({ event, data } as Kept);
    });
    this.sock.ev.on("creds.update", (update) => void Object.assign(this.auth.creds, update));
    this.sock.ev.on("connection.update", ({ qr, connection, lastDisconnect }) => {
      if (qr && scan) void scan(qr);
      if (connection !== "close") return;
      const code = (lastDisconnect?.error as { output?: { statusCode?: number } } | undefined)?.output?.statusCode ?? 0;
      this.closes.push(code);
      if (code === 515 && !this.#ended) this.connect();
    });
    return this;
  }

  /** Sends, and remembers the message for a device that asks for it again. */
  async send(jid: string, content: AnyMessageContent, options?: MiscMessageGenerationOptions): Promise<WAMessage> {
    const sent = await this.sock.sendMessage(jid, content, options);
    if (!sent?.key.id) throw new Error("nothing was sent");
    this.#sent.set(sent.key.id, sent.message);
    return sent;
  }

  /** Everything of one event so far, oldest first. */
  all<E extends keyof BaileysEventMap>(event: E): Array<BaileysEventMap[E]> {
    return this.#events
      .filter((one): one is Extract<Kept, { event: E }> => one.event === event)
      .map(({ data }) => data as BaileysEventMap[E]);
  }

  /** The first thing of this event, past or to come, that `pick` makes something of. */
  saw<E extends keyof BaileysEventMap, T>(event: E, pick: (data: BaileysEventMap[E]) => T | undefined | false | null) {
    return eventually(`${event} at ${this.jid}`, WAIT_TIMEOUT_MS, () => {
      for (const data of this.all(event)) {
        const picked = pick(data);
        if (picked !== undefined && picked !== false && picked !== null) return picked;
      }
      return null;
    });
  }

  /** Every message so far that is not a stub, oldest first. */
  messages(): WAMessage[] {
    return this.all("messages.upsert")
      .flatMap(({ messages }) => messages)
      .filter(({ message }) => message);
  }

  /** The message with this id. */
  message(id: string): Promise<WAMessage> {
    return eventually(`message ${id} at ${this.jid}`, WAIT_TIMEOUT_MS, () => this.messages().find(({ key }) => key.id === id));
  }

  /** Open, and the backlog taken in. */
  async ready(): Promise<this> {
    await this.saw("connection.update", ({ receivedPendingNotifications }) => receivedPendingNotifications);
    return this;
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.sock.end(undefined);
  }
}

/** A device linked to a phone by QR code, ready for use. */
export async function linkedClient(where: Whereabouts, scan: Scan, config: Partial<UserFacingSocketConfig> = {}): Promise<BaileysClient> {
  return new BaileysClient(where, memoryAuth(), config).connect(scan).ready();
}
