// Joins the parts of one session, and routes its commands. It must keep nothing that a crash may not lose: such state is in rows.
import type { BinaryNode } from "baileys";
import { parseJson } from "@gateway/protocol/json.ts";
import type { TroubleKind } from "@gateway/protocol/bridge-socket.ts";
import { type CommandInput, type CommandOutput, COMMANDS, type SessionCommand } from "@gateway/protocol/commands.ts";
import { SendRequest } from "@gateway/protocol/content.ts";
import type { SendSettled } from "@gateway/protocol/events.ts";
import { fail, type Failure, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { SessionSettings } from "@gateway/protocol/session-socket.ts";
import { errorFacts } from "../../log.ts";
import type { Network } from "../../settings.ts";
import type { WriteBehindCache } from "../../store/write-behind-cache.ts";
import type { Span } from "@gateway/tracing/span.ts";
import type { DriverDependencies, NetworkDriver } from "../network.ts";
import { lidMappingOf } from "./addressing/lid-mapping.ts";
import { runCommand } from "./commands/commands.ts";
import { AuthState } from "./durability/auth-state.ts";
import { Journal } from "./durability/journal.ts";
import { PlaintextCache } from "./durability/sent-messages.ts";
import { durableSignal } from "./durability/signal.ts";
import { unfinishedHistory } from "./inbound/history-sync.ts";
import { listen } from "./inbound/listen.ts";
import { cachedGroupMetadata } from "./memory/group-cache.ts";
import { historyChunksOf } from "./memory/history-chunks.ts";
import { notePhone, OwnPhone } from "./memory/own-phone.ts";
import { messageToResend } from "./outbound/message-to-resend.ts";
import { sendsOf } from "./outbound/sends.ts";
import type { DirectAccess } from "./session/media-hosts.ts";
import type { NetworkSession, Proxies, Rows } from "./session/session-context.ts";
import { AppStateRetries } from "./socket/app-state-retries.ts";
import type { ClientVersion } from "./socket/client-version.ts";
import { fetchServedVersion } from "./socket/served-version.ts";
import { DeafWatch, watchArrivals } from "./socket/deaf-watch.ts";
import { DeviceLists, loadOwnDevices } from "./socket/device-lists.ts";
import { Pairing } from "./socket/pairing.ts";
import { Lifecycle } from "./socket/lifecycle.ts";
import { openSocket, type LiveSocket } from "./socket/live-socket.ts";
import { closeProxies, createProxies, proxyFor } from "./socket/proxies.ts";
import { createRetryCounters } from "./socket/socket-config.ts";

const WATCH_INTERVAL_MS = 30_000;
/** These rows are deleted with the credentials, so that a new pairing starts fresh. */
const ARRIVALS_ROW = "bridge|arrivals";
const OWN_PHONE_ROW = "bridge|own-phone";
const APP_STATE_ROW = "bridge|app-state-unread";

const SendId = SendRequest.pick({ message_id: true });

type Waiting = { deadlineMs: number; span: Span | null };
type SessionCommands = {
  [N in SessionCommand]: (input: CommandInput<N>, waiting: Waiting) => Outcome<CommandOutput<N>> | Promise<Outcome<CommandOutput<N>>>;
};

export class BaileysDriver implements NetworkDriver {
  readonly #deps: DriverDependencies;
  readonly #network: Network;
  readonly #direct: DirectAccess;
  readonly #clientVersion: ClientVersion;
  readonly #auth: AuthState;
  readonly #journal: Journal;
  readonly #lifecycle: Lifecycle;
  readonly #pairing: Pairing;
  readonly #session: NetworkSession;
  readonly #appState: AppStateRetries;
  readonly #deviceLists: DeviceLists;
  readonly #retryCounters = createRetryCounters();
  readonly #plaintexts: PlaintextCache;
  readonly #deafWatch: DeafWatch;
  readonly #ownPhone: OwnPhone;
  readonly #commands: SessionCommands = {
    send: (request, waiting) => this.#send(request, waiting),
    recall: ({ message_ids }) => {
      sendsOf(this.#session).recall(this.#session, message_ids);
      return succeed({});
    },
    "session.pairing_code": ({ phone, code }) => this.#lifecycle.linking.requestCode(phone, code),
    "session.passkey": ({ assertion }) => this.#lifecycle.linking.answerPasskey(assertion),
  };
  #watchTimer: NodeJS.Timeout | undefined;
  #proxies: Proxies;
  #proxyUrl: string | null = null;

  constructor(deps: DriverDependencies, network: Network, direct: DirectAccess, clientVersion: ClientVersion) {
    this.#deps = deps;
    this.#network = network;
    this.#direct = direct;
    this.#clientVersion = clientVersion;
    this.#proxies = { dispatcher: direct.dispatcher };
    const { store, logger, tracer } = deps;
    this.#journal = new Journal(store, logger, {
      timesArrivals: tracer !== null,
      failed: (tag) => this.#troubled("stanza", tag),
      unfinished: unfinishedHistory(() => this.#session),
    });
    this.#auth = new AuthState(store);
    this.#deviceLists = new DeviceLists((lid) => phoneOf(store, lid));
    this.#pairing = new Pairing(() => this.#auth.creds);
    this.#session = this.#createSession();
    this.#plaintexts = new PlaintextCache(this.#session.rows);
    const { rows } = this.#session;
    const row = (name: string) => ({ read: () => rows.get(name)?.toString(), write: (text: string) => rows.put(name, text) });
    this.#deafWatch = new DeafWatch(row(ARRIVALS_ROW));
    this.#ownPhone = new OwnPhone(row(OWN_PHONE_ROW));
    this.#lifecycle = this.#createLifecycle();
    this.#appState = new AppStateRetries(
      row(APP_STATE_ROW),
      () => this.#lifecycle.open?.sock ?? null,
      (collection, why) => {
        logger.warn({ collection, why }, "app_state.unread");
        this.#troubled("app_state", why);
      },
    );
  }

  get open(): boolean {
    return this.#lifecycle.open !== null;
  }

  get paired(): boolean {
    return this.#auth.paired;
  }

  get journalEntries(): number {
    return this.#journal.size;
  }

  start(): void {
    this.#watchTimer = setInterval(() => {
      this.#cutWhenDeaf();
      this.#reportPhone();
    }, WATCH_INTERVAL_MS).unref();
    this.#lifecycle.start();
  }

  disconnect(): void {
    this.#lifecycle.disconnect();
  }

  /** Reopens the socket if the proxy has changed. A pending reconnect then runs at once. */
  settingsChanged(): void {
    if (proxyFor(this.#network, this.#deps.settings().proxy_url) !== this.#proxyUrl) this.#lifecycle.reopen();
  }

  async stop(logout: boolean): Promise<void> {
    this.#appState.stop();
    clearInterval(this.#watchTimer);
    await this.#lifecycle.stop(logout);
    // The session calls this again after `ended` has aborted its downloads. Closing the proxy earlier would wait for them.
    if (this.#deps.ended.aborted) await closeProxies(this.#proxies);
  }

  sendsEnded(ms: number): Promise<void> {
    return sendsOf(this.#session).ended(ms);
  }

  async command(name: string, json: string, deadlineMs: number, span: Span | null = null): Promise<Outcome<unknown>> {
    const row = Object.hasOwn(COMMANDS, name) ? COMMANDS[name as keyof typeof COMMANDS] : undefined;
    const given = parseJson(json);
    const parsed = row?.input.safeParse(given);
    if (parsed === undefined || !parsed.success) {
      const message = name === "send" ? SendId.safeParse(given) : null;
      // A newer object may send a command that is unknown here. The caller of a send learns the outcome only from an event.
      if (message?.success) this.#emitSettled(message.data, { kind: "refused", failure: { code: "not_supported" } });
      return fail("not_supported");
    }
    if (isSessionCommand(name, this.#commands)) return this.#commands[name](parsed.data as never, { deadlineMs, span });
    const live = this.#lifecycle.open;
    return live === null ? fail(this.#notOpen) : runCommand(live.ctx, name, parsed.data);
  }

  #send(request: SendRequest, { deadlineMs, span }: Waiting): Outcome<CommandOutput<"send">> {
    const live = this.#lifecycle.open;
    if (live === null) {
      this.#emitSettled(request, { kind: "refused", failure: this.#notOpen });
      return fail(this.#notOpen);
    }
    sendsOf(this.#session)
      .send(live.ctx, request, deadlineMs, span)
      .catch((error: unknown) => {
        this.#deps.logger.error(errorFacts(error), "send.failed");
        this.#emitSettled(request, { kind: "uncertain" });
      });
    return succeed({});
  }

  get #notOpen(): Failure {
    return { code: this.#auth.paired ? "instance_reconnecting" : "instance_not_connected" };
  }

  #troubled(kind: TroubleKind, code: string): void {
    this.#deps.metrics.troubled(kind, code, this.#deps.connection);
  }

  #emitSettled({ message_id }: Pick<SendRequest, "message_id">, outcome: SendSettled["outcome"]): void {
    this.#session.emit([{ key: null, event: { type: "send.settled", message_id, outcome } }]);
  }

  #createSession(): NetworkSession {
    const { connection, logger, metrics, tracer, store, media, ended } = this.#deps;
    const settings = (): SessionSettings => this.#deps.settings();
    const proxies = (): Proxies => this.#proxies;
    return {
      connection,
      logger,
      metrics,
      tracer,
      get settings() {
        return settings();
      },
      get proxies() {
        return proxies();
      },
      mediaHosts: this.#direct.hosts,
      rows: this.#createRows(),
      media,
      ended,
      now: () => Date.now(),
      emit: (events) => store.emit(events),
      flushed: () => store.flushed(),
      task: (work) => this.#journal.task(work),
    };
  }

  #createRows(): Rows {
    const { store, coldRows } = this.#deps;
    return {
      put: (name, value) => store.put([[name, value]]),
      get: (name) => {
        const value = store.get(name);
        if (value === undefined || Buffer.isBuffer(value) || typeof value === "string") return value;
        return JSON.stringify(value);
      },
      keysOf: (type) => store.names().filter((name) => name.startsWith(`${type}|`)),
      fetchCold: (names) => coldRows.fetch(names),
    };
  }

  #createLifecycle(): Lifecycle {
    const { logger, metrics, connectSlots, openSockets, store } = this.#deps;
    return new Lifecycle({
      logger,
      metrics,
      connectSlots,
      openSockets,
      closedWith: (code) => this.#troubled("close", String(code)),
      auth: this.#auth,
      pairing: this.#pairing,
      clientVersion: this.#clientVersion,
      lookUpVersion: () => this.#lookUpVersion(),
      throughProxy: () => this.#proxies.agent !== undefined,
      mayUsePasskey: () => this.#deps.settings().passkey === true,
      alwaysOnline: () => this.#deps.settings().always_online,
      openSocket: () => this.#openSocket(),
      emit: (event) => store.emit([{ key: null, event }]),
      flushed: () => store.flushed(),
      opened: ({ sock }) => {
        this.#deafWatch.opened(Date.now());
        this.#ownPhone.opened(Date.now());
        this.#appState.wake();
        void loadOwnDevices(sock, this.#deviceLists);
        this.#journal.replay();
      },
      closed: ({ ctx }) => {
        this.#deafWatch.closed(Date.now());
        sendsOf(this.#session).dropConnection(ctx);
      },
      finished: () => this.#deps.finished(),
      now: () => Date.now(),
    });
  }

  #cutWhenDeaf(): void {
    const silentMs = this.#deafWatch.deafFor(Date.now());
    if (silentMs === null) return;
    this.#deps.logger.warn({ silent_seconds: Math.round(silentMs / 1000) }, "network.deaf");
    this.#troubled("deaf", "line");
    this.#lifecycle.disconnect();
  }

  #reportPhone(): void {
    // While the socket is closed, it is unknown whether the phone is online, so nothing is reported.
    const unseenSince = this.open ? this.#ownPhone.due(Date.now()) : undefined;
    if (unseenSince === undefined) return;
    const since = unseenSince === null ? null : Math.floor(unseenSince / 1000);
    if (since !== null) this.#deps.logger.info({ since }, "phone.unseen");
    const event = { type: "session.phone" as const, unseen_since: since, timestamp: Math.floor(Date.now() / 1000) };
    this.#session.emit([{ key: null, event }]);
  }

  #openSocket(): LiveSocket {
    const { store } = this.#deps;
    this.#useProxy();
    const live = openSocket({
      store,
      network: this.#network,
      version: this.#clientVersion.current,
      journal: this.#journal,
      session: this.#session,
      listen,
      settings: () => this.#deps.settings(),
      auth: this.#auth,
      proxies: this.#proxies,
      mediaHosts: this.#direct.hosts,
      fileGone: (path) => historyChunksOf(this.#session).gone(path),
      signal: durableSignal(store, this.#plaintexts),
      deviceLists: this.#deviceLists,
      retryCounters: this.#retryCounters,
      cachedGroupMetadata: (jid) => cachedGroupMetadata(this.#session, jid),
      getMessage: (key) => messageToResend(this.#session, key),
      appState: this.#appState,
    });
    watchArrivals(live.sock, () => this.#deafWatch.arrived(Date.now()));
    live.sock.ev.on("creds.update", ({ myAppStateKeyId }) => {
      if (myAppStateKeyId !== undefined) this.#appState.wake();
    });
    const isOwn = (jid: string): boolean => lidMappingOf(this.#session).isOwn(jid);
    live.sock.ws.on("frame", (frame: BinaryNode | Uint8Array) => {
      if (!(frame instanceof Uint8Array)) notePhone(this.#ownPhone, isOwn, frame, Date.now());
    });
    return live;
  }

  async #lookUpVersion(): Promise<void> {
    try {
      this.#useProxy();
    } catch {
      return;
    }
    await this.#clientVersion.lookUp(() => fetchServedVersion(this.#network, this.#proxies), Date.now());
  }

  #useProxy(): void {
    const proxyUrl = proxyFor(this.#network, this.#deps.settings().proxy_url);
    if (proxyUrl === this.#proxyUrl) return;
    const proxies = createProxies(proxyUrl, this.#direct, this.#network);
    if (proxies === null) throw new Error("not a proxy address");
    void closeProxies(this.#proxies);
    this.#proxies = proxies;
    this.#proxyUrl = proxyUrl;
  }
}

function isSessionCommand(name: string, commands: SessionCommands): name is SessionCommand {
  return Object.hasOwn(commands, name);
}

function phoneOf(store: WriteBehindCache, lid: string): string | undefined {
  const phone = store.get(`lid-mapping|${lid}_reverse`);
  return typeof phone === "string" ? phone : undefined;
}
