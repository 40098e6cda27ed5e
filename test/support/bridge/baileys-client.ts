// An unmodified Baileys client on the local test network. It keeps auth in memory, sets up trust, and records every event, so a test can
// act first and look later.
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
import { quietConsole } from "#root/session-bridge/process/quiet-console.ts";
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

/** The network's addresses and trust anchors, from its ready file or from a start in this process. */
export type Whereabouts = {
  wsUrl: string;
  rootPublicKey: string;
  caPem: string;
  /** `host:port` of the media server. */
  mediaHost: string;
  spareMediaHost?: string | undefined;
};

/** Scans the QR code: a simulated phone in this process, or a control API call. */
export type Scan = (qr: string) => Promise<unknown>;

/** Called once per process, as in the bridge: pins the root key, trusts the CA and enables real signature checks. */
export function trust({ rootPublicKey, caPem }: Whereabouts): void {
  verifySignaturesStrictly();
  trustLocalNetwork(Buffer.from(rootPublicKey, "hex"), caPem);
}

export type MemoryAuth = AuthenticationState & {
  /** Keyed by `type|id`. */
  readonly kept: Map<string, any>;
};

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
  /** Sent messages by id, kept for retries. */
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

  /** Connects, reconnects after a 515, and records events. Returns without waiting for the connection. */
  connect(scan?: Scan): this {
    this.#ended = false;
    this.sock = makeWASocket({
      waWebSocketUrl: this.#where.wsUrl,
      auth: this.auth,
      logger: silent,
      fetchAgent: new https.Agent({ ca: this.#where.caPem }),
      getMessage: async ({ id }) => this.#sent.get(id ?? "") ?? undefined,
      // Otherwise an immediate receipt is merged into the own message's event (docs/internals/wire-protocol.md, "Messages and receipts").
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

  /** Sends a message and keeps it in case a device requests it again. */
  async send(jid: string, content: AnyMessageContent, options?: MiscMessageGenerationOptions): Promise<WAMessage> {
    const sent = await this.sock.sendMessage(jid, content, options);
    if (!sent?.key.id) throw new Error("nothing was sent");
    this.#sent.set(sent.key.id, sent.message);
    return sent;
  }

  /** All payloads of this event so far, oldest first. */
  all<E extends keyof BaileysEventMap>(event: E): Array<BaileysEventMap[E]> {
    return this.#events
      .filter((one): one is Extract<Kept, { event: E }> => one.event === event)
      .map(({ data }) => data as BaileysEventMap[E]);
  }

  /** Resolves to the first result of `pick` over this event's payloads, past or future. */
  saw<E extends keyof BaileysEventMap, T>(event: E, pick: (data: BaileysEventMap[E]) => T | undefined | false | null) {
    return eventually(`${event} at ${this.jid}`, WAIT_TIMEOUT_MS, () => {
      for (const data of this.all(event)) {
        const picked = pick(data);
        if (picked !== undefined && picked !== false && picked !== null) return picked;
      }
      return null;
    });
  }

  /** All messages so far except stubs, oldest first. */
  messages(): WAMessage[] {
    return this.all("messages.upsert")
      .flatMap(({ messages }) => messages)
      .filter(({ message }) => message);
  }

  /** Waits for the message with this id. */
  message(id: string): Promise<WAMessage> {
    return eventually(`message ${id} at ${this.jid}`, WAIT_TIMEOUT_MS, () => this.messages().find(({ key }) => key.id === id));
  }

  /** Waits until the connection is open and the backlog is received. */
  async ready(): Promise<this> {
    await this.saw("connection.update", ({ receivedPendingNotifications }) => receivedPendingNotifications);
    return this;
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.sock.end(undefined);
  }
}

/** A device linked to a phone by QR code and ready for use. */
export async function linkedClient(where: Whereabouts, scan: Scan, config: Partial<UserFacingSocketConfig> = {}): Promise<BaileysClient> {
  return new BaileysClient(where, memoryAuth(), config).connect(scan).ready();
}
