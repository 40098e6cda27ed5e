// A session as the bridge runs it, on an unmodified Baileys client, with in-memory storage: its context and emitted events.
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import type { CacheStore, UserFacingSocketConfig } from "baileys";
import pino from "pino";
import { cachedGroupMetadata } from "#root/session-bridge/networks/baileys/memory/group-cache.ts";
import { listen } from "#root/session-bridge/networks/baileys/inbound/listen.ts";
import { messageToResend } from "#root/session-bridge/networks/baileys/outbound/message-to-resend.ts";
import { sendsOf } from "#root/session-bridge/networks/baileys/outbound/sends.ts";
import { readSaltFields } from "#root/session-bridge/networks/baileys/durability/salt-fields.ts";
import { createRetryCounters } from "#root/session-bridge/networks/baileys/socket/socket-config.ts";
import { libraryLog } from "#root/session-bridge/networks/baileys/socket/library-log.ts";
import { pullOfflineBatches } from "#root/session-bridge/networks/baileys/socket/offline-batches.ts";
import { acceptStatusStanzas } from "#root/session-bridge/networks/baileys/socket/status-stanzas.ts";
import { BridgeMetrics } from "#root/session-bridge/metrics/bridge-metrics.ts";
import type { MediaFile, MediaLink } from "#root/session-bridge/networks/network.ts";
import { directAccess, type DirectAccess } from "#root/session-bridge/networks/baileys/session/media-hosts.ts";
import type { SessionContext, NetworkSession } from "#root/session-bridge/networks/baileys/session/session-context.ts";
import { downloadOptions } from "#root/session-bridge/networks/baileys/session/whole-bodies.ts";
import { SendRequest, type MediaRef, type SendContent } from "@gateway/protocol/content.ts";
import { KeyedEvent, type NetworkEvent } from "@gateway/protocol/events.ts";
import type { NetworkMessage } from "@gateway/protocol/message.ts";
import type { SessionSettings } from "@gateway/protocol/session-socket.ts";
import { BaileysClient, memoryAuth, type Scan, type Whereabouts } from "../../support/bridge/baileys-client.ts";
import { eventually } from "../../support/eventually.ts";
import { sha256 } from "../../support/sample-files.ts";

const EVENT_TIMEOUT_MS = 60_000;

export type EventOf<T extends NetworkEvent["type"]> = Extract<NetworkEvent, { type: T }>;

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

/** An in-memory version of the worker's media store. */
class MediaStore implements MediaLink {
  readonly files = new Map<string, { bytes: Buffer; file: MediaFile | null }>();
  /** Uploads wait for this. */
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

  /** Stores a file for a customer to send. */
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
  readonly networkSession: NetworkSession;
  readonly retryCounters: CacheStore;
  /** Ends the session, as its bridge does if another bridge hosts it. */
  readonly over = new AbortController();
  readonly media = new MediaStore();
  readonly rows = new Map<string, Buffer | string>();
  /** All events so far, checked against the contract. */
  readonly events: KeyedEvent[] = [];
  /** Result of `wire.written()`. */
  written = (): Promise<boolean> => Promise.resolve(true);
  /** Result of `wire.mark()`. */
  mark = (): (() => boolean) => () => false;
  ctx!: SessionContext;
  #stop: () => void = () => undefined;

  constructor(where: Whereabouts, settings: Partial<SessionSettings> = {}, config: Partial<UserFacingSocketConfig> = {}) {
    const auth = memoryAuth();
    const session = {} as NetworkSession;
    const { rootPublicKey, wsUrl: url, caPem: ca } = where;
    const mediaHost = [where.mediaHost, ...(where.spareMediaHost === undefined ? [] : [where.spareMediaHost])].join(",");
    readSaltFields();
    const direct = directAccess({ kind: "local", url, root: Buffer.from(rootPublicKey, "hex"), ca, mediaHost });
    const retryCounters = createRetryCounters();
    super(where, auth, {
      msgRetryCounterCache: retryCounters,
      logger: libraryLog,
      emitOwnEvents: false,
      options: downloadOptions(direct, direct.hosts),
      cachedGroupMetadata: (jid) => cachedGroupMetadata(session, jid),
      getMessage: (key) => messageToResend(session, key),
      ...config,
    });
    this.retryCounters = retryCounters;
    this.networkSession = Object.assign(session, this.#createSession({ ...SETTINGS, ...settings }, direct));
  }

  override connect(scan?: Scan): this {
    this.#stop();
    super.connect(scan);
    acceptStatusStanzas(this.sock);
    const stopPulling = pullOfflineBatches(this.sock, this.networkSession.logger);
    this.ctx = {
      ...this.networkSession,
      session: this.networkSession,
      sock: this.sock,
      auth: this.sock.authState,
      wire: { written: () => this.written(), mark: () => this.mark() },
      arrivedOffline: () => false,
      arrivedAt: () => undefined,
      forgetDevices: (user) => void this.sock.userDevicesCache?.del(user),
      retryCounters: this.retryCounters,
      forgetKeyHolders: (group) => void this.auth.kept.delete(`sender-key-memory|${group}`),
    };
    const stopListening = listen(this.ctx);
    this.#stop = () => {
      stopPulling();
      stopListening();
    };
    this.sock.ev.on("connection.update", ({ connection }) => {
      if (connection === "close") sendsOf(this.networkSession).dropConnection(this.ctx);
    });
    return this;
  }

  get pn(): string {
    return this.jid.replace(/@.*$/, "");
  }

  /** The first event of this type that `suits`, past or future. */
  waitForEvent<T extends NetworkEvent["type"]>(type: T, suits: (event: EventOf<T>) => boolean = () => true): Promise<EventOf<T>> {
    return eventually(`${type} from ${this.jid}`, EVENT_TIMEOUT_MS, () => this.eventsOf(type).find(suits));
  }

  eventsOf<T extends NetworkEvent["type"]>(type: T): Array<EventOf<T>> {
    return this.events.map(({ event }) => event).filter((event): event is EventOf<T> => event.type === type);
  }

  /** The message as reported. */
  async received(id: string): Promise<NetworkMessage> {
    return (await this.waitForEvent("message.upsert", ({ message }) => message.message_id === id)).message;
  }

  /** Sends a message and waits until it is settled. `id` is the message id. */
  async sendAndSettle(
    chatId: string,
    content: SendContent,
    more: Partial<SendRequest> = {},
  ): Promise<{ id: string; outcome: EventOf<"send.settled">["outcome"] }> {
    const request = this.request(chatId, content, more);
    await sendsOf(this.networkSession).send(this.ctx, request);
    return { id: request.message_id, outcome: this.outcomesOf(request.message_id).at(-1)! };
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

  /** Outcomes reported for a send; the last one counts. */
  outcomesOf(id: string): Array<EventOf<"send.settled">["outcome"]> {
    return this.eventsOf("send.settled")
      .filter(({ message_id }) => message_id === id)
      .map(({ outcome }) => outcome);
  }

  #createSession(settings: SessionSettings, { hosts, dispatcher }: DirectAccess): NetworkSession {
    return {
      connection: randomUUID(),
      logger: pino({ level: process.env["LOG"] ?? "silent" }),
      metrics: new BridgeMetrics(),
      tracer: null,
      settings,
      media: this.media,
      proxies: { dispatcher },
      ended: this.over.signal,
      mediaHosts: hosts,
      now: () => Date.now(),
      rows: {
        put: (key, value) => void (value === null ? this.rows.delete(key) : this.rows.set(key, value)),
        get: (key) => this.rows.get(key) ?? (this.auth.kept.get(key) as string | undefined),
        keysOf: (type) => [...this.rows.keys()].filter((key) => key.startsWith(`${type}|`)),
        fetchCold: async (keys) => new Map(keys.flatMap((key) => (this.rows.has(key) ? [[key, this.rows.get(key)!]] : []))),
      },
      emit: (events) => void this.events.push(...events.map((event) => KeyedEvent.parse(event))),
      flushed: () => Promise.resolve(),
      task: (work) =>
        void work().catch(
          (error: unknown) =>
            this.events.push({ key: null, event: { type: "session.gave_up", reason: "internal", timestamp: 0 } }) && console.error(error),
        ),
    };
  }
}

export function freshId(): string {
  return `3EB0${randomUUID().replaceAll("-", "").slice(0, 18).toUpperCase()}`;
}
