// One session as the bridge runs it, on an unchanged Baileys client, with the durable parts replaced by memory: what this folder's
// code is given, and what it says.
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import type { UserFacingSocketConfig } from "baileys";
import pino from "pino";
import { cachedGroupMetadata } from "../../../session-bridge/networks/baileys/memory/group-cache.ts";
import { listen } from "../../../session-bridge/networks/baileys/inbound/listen.ts";
import { sendsOf } from "../../../session-bridge/networks/baileys/outbound/sends.ts";
import { fetchSent } from "../../../session-bridge/networks/baileys/durability/sent-messages.ts";
import type { MediaFile, MediaLink } from "../../../session-bridge/networks/network.ts";
import type { SessionContext, NetworkSession } from "../../../session-bridge/networks/baileys/session/session-context.ts";
import { SendRequest, type MediaRef, type SendContent } from "../../../src/protocol/content.ts";
import { KeyedEvent, type NetworkEvent } from "../../../src/protocol/events.ts";
import type { NetworkMessage } from "../../../src/protocol/message.ts";
import type { SessionSettings } from "../../../src/protocol/session-socket.ts";
import { BaileysClient, memoryAuth, type Scan, type Whereabouts } from "../../support/baileys-client.ts";
import { eventually } from "../../support/eventually.ts";
import { sha256 } from "../../support/sample-files.ts";

const PATIENCE_MS = 20_000;

export type Told<T extends NetworkEvent["type"]> = Extract<NetworkEvent, { type: T }>;

const SETTINGS: SessionSettings = {
  proxy_url: null,
  device_name: "Gateway",
  sync_history: "recent",
  always_online: true,
  download_media: true,
  media_retention_days: 7,
  ignore_groups: false,
  ignore_channels: false,
  ignore_status: false,
};

/** The worker's media store, in memory. */
class MediaStore implements MediaLink {
  readonly files = new Map<string, { bytes: Buffer; file: MediaFile | null }>();
  /** Uploads wait for it. */
  hold: Promise<void> = Promise.resolve();

  async upload(body: Buffer | Readable, file: MediaFile): Promise<{ ok: true; value: { token: string; size: number } }> {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.concat((await body.toArray()) as Buffer[]);
    await this.hold;
    const token = randomUUID();
    this.files.set(token, { bytes, file });
    return { ok: true, value: { token, size: bytes.length } };
  }

  async open(token: string): ReturnType<MediaLink["open"]> {
    const found = this.files.get(token);
    if (!found) return { ok: false, failure: { code: "media_expired" } };
    return { ok: true, value: { stream: Readable.from([found.bytes]), size: found.bytes.length } };
  }

  /** A file that a customer wants to send. */
  keep(bytes: Buffer, mimetype: string, filename: string | null = null): MediaRef {
    const token = randomUUID();
    this.files.set(token, { bytes, file: null });
    return { token, mimetype, filename, size: bytes.length };
  }

  sha256(token: string | null | undefined): string | null {
    const found = token ? this.files.get(token) : undefined;
    return found ? sha256(found.bytes) : null;
  }
}

export class Session extends BaileysClient {
  readonly link: NetworkSession;
  readonly media = new MediaStore();
  readonly rows = new Map<string, Buffer | string>();
  /** Everything told so far, checked against the contract. */
  readonly told: KeyedEvent[] = [];
  /** What `wire.written()` answers. */
  left = (): Promise<boolean> => Promise.resolve(true);
  ctx!: SessionContext;
  #stop: () => void = () => undefined;

  constructor(where: Whereabouts, settings: Partial<SessionSettings> = {}, config: Partial<UserFacingSocketConfig> = {}) {
    const auth = memoryAuth();
    const link = {} as NetworkSession;
    super(where, auth, {
      emitOwnEvents: false,
      cachedGroupMetadata: (jid) => cachedGroupMetadata(link, jid),
      getMessage: async ({ id }) => (id ? (await fetchSent(link.rows, id))?.message : undefined),
      ...config,
    });
    this.link = Object.assign(link, this.#createLink({ ...SETTINGS, ...settings }));
  }

  override connect(scan?: Scan): this {
    this.#stop();
    super.connect(scan);
    this.ctx = {
      ...this.link,
      session: this.link,
      sock: this.sock,
      auth: this.sock.authState,
      wire: { written: () => this.left() },
      arrivedOffline: () => false,
      forgetDevices: (user) => void this.sock.userDevicesCache?.del(user),
    };
    this.#stop = listen(this.ctx);
    this.sock.ev.on("connection.update", ({ connection }) => {
      if (connection === "close") sendsOf(this.link).disconnected(this.link);
    });
    return this;
  }

  get pn(): string {
    return this.jid.replace(/@.*$/, "");
  }

  /** The first event of the type that `suits`, past or to come. */
  tells<T extends NetworkEvent["type"]>(type: T, suits: (event: Told<T>) => boolean = () => true): Promise<Told<T>> {
    return eventually(`${type} told by ${this.jid}`, PATIENCE_MS, () => this.allTold(type).find(suits));
  }

  allTold<T extends NetworkEvent["type"]>(type: T): Array<Told<T>> {
    return this.told.map(({ event }) => event).filter((event): event is Told<T> => event.type === type);
  }

  /** The message as it was told. */
  async heard(id: string): Promise<NetworkMessage> {
    return (await this.tells("message.upsert", ({ message }) => message.message_id === id)).message;
  }

  /** Sends and waits for the end. `id` is the message's. */
  async sends(
    chatId: string,
    content: SendContent,
    more: Partial<SendRequest> = {},
  ): Promise<{ id: string; outcome: Told<"send.settled">["outcome"] }> {
    const request = this.request(chatId, content, more);
    await sendsOf(this.link).send(this.ctx, request);
    return { id: request.message_id, outcome: this.settled(request.message_id).at(-1)! };
  }

  request(chatId: string, content: SendContent, more: Partial<SendRequest> = {}): SendRequest {
    return SendRequest.parse({
      message_id: freshId(),
      chat_id: chatId,
      content,
      quoted: null,
      mentions: [],
      mention_all: false,
      typing_ms: 0,
      status: null,
      ...more,
    });
  }

  /** How the send ended, as told so far: the last is what holds. */
  settled(id: string): Array<Told<"send.settled">["outcome"]> {
    return this.allTold("send.settled")
      .filter(({ message_id }) => message_id === id)
      .map(({ outcome }) => outcome);
  }

  #createLink(settings: SessionSettings): NetworkSession {
    return {
      connection: randomUUID(),
      logger: pino({ level: process.env["LOG"] ?? "silent" }),
      settings,
      media: this.media,
      proxies: {},
      now: () => Date.now(),
      rows: {
        put: (key, value) => void (value === null ? this.rows.delete(key) : this.rows.set(key, value)),
        get: (key) => this.rows.get(key) ?? (this.auth.kept.get(key) as string | undefined),
        fetchCold: async (keys) => new Map(keys.flatMap((key) => (this.rows.has(key) ? [[key, this.rows.get(key)!]] : []))),
      },
      emit: (events) => void this.told.push(...events.map((event) => KeyedEvent.parse(event))),
      flushed: () => Promise.resolve(),
      task: (work) =>
        void work().catch(
          (error: unknown) =>
            this.told.push({ key: null, event: { type: "session.gave_up", reason: "internal", timestamp: 0 } }) && console.error(error),
        ),
    };
  }
}

export function freshId(): string {
  return `3EB0${randomUUID().replaceAll("-", "").slice(0, 18).toUpperCase()}`;
}
