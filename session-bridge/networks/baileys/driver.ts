// The network driver of one session: puts the parts together that live as long as the session does in this process.
import type { Logger } from "pino";
import { COMMANDS } from "../../../src/protocol/commands.ts";
import { SendRequest } from "../../../src/protocol/content.ts";
import type { SendSettled } from "../../../src/protocol/events.ts";
import { fail, type Failure, type Outcome } from "../../../src/protocol/failures.ts";
import type { SessionSettings } from "../../../src/protocol/session-socket.ts";
import { errorFacts } from "../../log.ts";
import type { Openings } from "../../openings.ts";
import type { Network } from "../../settings.ts";
import { AppStateRetries } from "./socket/app-state-retries.ts";
import { AuthState } from "./durability/auth-state.ts";
import { createRetryCounters } from "./socket/retry-counters.ts";
import type { ColdRows } from "../../store/cold-rows.ts";
import { DeviceLists, learnOwnDevices } from "./socket/device-lists.ts";
import { cachedGroupMetadata } from "./memory/group-cache.ts";
import { Journal } from "./durability/journal.ts";
import { Lifecycle } from "./socket/lifecycle.ts";
import { openSocket, type LiveSocket } from "./socket/live-socket.ts";
import type { Mirror } from "../../store/write-behind-cache.ts";
import { Pairing } from "./socket/pairing.ts";
import { Plaintexts } from "./durability/plaintext-cache.ts";
import { closeProxies, createProxies } from "./socket/proxies.ts";
import { fetchSent } from "./durability/sent-messages.ts";
import type { Inbound, MediaLink, Outbound, Proxies, Rows, SessionContext, SessionLink } from "./session/session-context.ts";
import { durableSignal } from "./durability/signal.ts";

/** Baileys holds events back for 100 ms after what produced them. */
const FLUSHED_AFTER_MS = 150;

export type Traffic = { inbound: Inbound; outbound: Outbound };

/** What must be known of a send to say how it ended. */
const Named = SendRequest.pick({ message_id: true });

export type DriverParts = {
  connection: string;
  logger: Logger;
  network: Network;
  mirror: Mirror;
  coldRows: ColdRows;
  media: MediaLink;
  openings: Openings;
  traffic: Traffic;
  settings(): SessionSettings;
  finished(): void;
};

export class BaileysDriver {
  readonly #parts: DriverParts;
  readonly #auth: AuthState;
  readonly #journal: Journal;
  readonly #lifecycle: Lifecycle;
  readonly #pairing: Pairing;
  readonly #link: SessionLink;
  readonly #appState: AppStateRetries;
  readonly #deviceLists: DeviceLists;
  readonly #retryCounters = createRetryCounters();
  readonly #plaintexts: Plaintexts;
  #proxies: Proxies = {};
  #proxyUrl: string | null = null;
  #releasing = false;

  constructor(parts: DriverParts) {
    this.#parts = parts;
    this.#journal = new Journal(parts.mirror, parts.logger);
    this.#auth = new AuthState(parts.mirror, () => this.#releaseSoon());
    this.#deviceLists = new DeviceLists((lid) => phoneOf(parts.mirror, lid));
    this.#pairing = new Pairing(() => this.#auth.creds);
    this.#link = this.#createLink();
    this.#plaintexts = new Plaintexts(this.#link.rows);
    this.#lifecycle = this.#createLifecycle();
    this.#appState = new AppStateRetries(() => this.#lifecycle.open?.sock ?? null);
  }

  get open(): boolean {
    return this.#lifecycle.open !== null;
  }

  start(): void {
    this.#lifecycle.start();
  }

  cut(): void {
    this.#lifecycle.cut();
  }

  /** The owner has set something else. Another proxy holds for the line that is there as well: it is opened anew. */
  settingsChanged(): void {
    if (proxyFor(this.#parts.network, this.#parts.settings().proxy_url) !== this.#proxyUrl) this.#lifecycle.cut();
  }

  async stop(logout: boolean): Promise<void> {
    this.#appState.stop();
    await this.#lifecycle.stop(logout);
    await closeProxies(this.#proxies);
  }

  /** `input` is JSON of the command's input. Sends and recalls are answered by events, everything else by the outcome. */
  async command(name: string, json: string): Promise<Outcome<unknown>> {
    const row = Object.hasOwn(COMMANDS, name) ? COMMANDS[name as keyof typeof COMMANDS] : undefined;
    const given = readJson(json);
    const parsed = row?.input.safeParse(given);
    if (parsed === undefined || !parsed.success) {
      const message = name === "send" ? Named.safeParse(given) : null;
      // A newer object may ask for what is not known here: nobody hears of a send but by its event.
      if (message?.success) this.#tellSettled(message.data, { kind: "refused", failure: { code: "not_supported" } });
      return fail("not_supported");
    }
    const { outbound } = this.#parts.traffic;
    // The schema of the row is the one of the name, which the compiler cannot follow.
    const input = parsed.data as never;
    if (name === "recall") {
      outbound.recall(this.#link, (input as { message_ids: string[] }).message_ids);
      return { ok: true, value: {} };
    }
    if (name === "session.pairing_code") {
      const { phone, code } = input as { phone: string; code: string | null };
      return this.#lifecycle.requestCode(phone, code);
    }
    const live = this.#lifecycle.open;
    if (live === null) {
      const failure: Failure = { code: this.#auth.paired ? "instance_reconnecting" : "instance_not_connected" };
      if (name === "send") this.#tellSettled(input, { kind: "refused", failure });
      return fail(failure);
    }
    if (name !== "send") return outbound.runCommand(live.ctx, name, input);
    this.#send(live.ctx, input);
    return { ok: true, value: {} };
  }

  #send(ctx: SessionContext, request: SendRequest): void {
    this.#parts.traffic.outbound.send(ctx, request).catch((error: unknown) => {
      this.#parts.logger.error(errorFacts(error), "send.failed");
      // Nobody knows how far it came, and that is what is said.
      this.#tellSettled(request, { kind: "uncertain" });
    });
  }

  #tellSettled({ message_id }: Pick<SendRequest, "message_id">, outcome: SendSettled["outcome"]): void {
    this.#link.emit([{ key: null, event: { type: "send.settled", message_id, outcome } }]);
  }

  #createLink(): SessionLink {
    const { connection, logger, mirror, media } = this.#parts;
    const settings = (): SessionSettings => this.#parts.settings();
    const proxies = (): Proxies => this.#proxies;
    return {
      connection,
      logger,
      get settings() {
        return settings();
      },
      get proxies() {
        return proxies();
      },
      rows: this.#createRows(),
      media,
      now: () => Date.now(),
      emit: (events) => mirror.emit(events),
      stored: () => mirror.settled(),
      task: (work) => this.#journal.task(work),
    };
  }

  #createRows(): Rows {
    const { mirror, coldRows } = this.#parts;
    return {
      put: (name, value) => mirror.put([[name, value]]),
      get: (name) => {
        const value = mirror.get(name);
        if (value === undefined || Buffer.isBuffer(value) || typeof value === "string") return value;
        return JSON.stringify(value);
      },
      fetchCold: (names) => coldRows.fetch(names),
    };
  }

  #createLifecycle(): Lifecycle {
    const { logger, openings, mirror, traffic } = this.#parts;
    return new Lifecycle({
      logger,
      openings,
      auth: this.#auth,
      pairing: this.#pairing,
      throughProxy: () => this.#proxies.agent !== undefined,
      alwaysOnline: () => this.#parts.settings().always_online,
      openSocket: () => this.#openSocket(),
      emit: (event) => mirror.emit([{ key: null, event }]),
      settled: () => mirror.settled(),
      opened: ({ sock }) => {
        void learnOwnDevices(sock, this.#deviceLists);
        this.#journal.replay();
      },
      closed: () => traffic.outbound.disconnected(this.#link),
      finished: () => this.#parts.finished(),
      now: () => Date.now(),
    });
  }

  #openSocket(): LiveSocket {
    const { mirror, network } = this.#parts;
    this.#useProxy();
    return openSocket({
      mirror,
      network,
      journal: this.#journal,
      link: this.#link,
      settings: () => this.#parts.settings(),
      auth: this.#auth,
      proxies: this.#proxies,
      signal: durableSignal(mirror, this.#plaintexts),
      inbound: this.#parts.traffic.inbound,
      deviceLists: this.#deviceLists,
      retryCounters: this.#retryCounters,
      cachedGroupMetadata: (jid) => cachedGroupMetadata(this.#link, jid),
      getMessage: async ({ id }) => (typeof id === "string" ? (await fetchSent(this.#link.rows, id))?.message : undefined),
      appStateUnanswered: (collections) => this.#appState.unanswered(collections),
    });
  }

  #useProxy(): void {
    const wanted = proxyFor(this.#parts.network, this.#parts.settings().proxy_url);
    if (wanted === this.#proxyUrl) return;
    const proxies = createProxies(wanted);
    if (proxies === null) throw new Error("not a proxy address");
    void closeProxies(this.#proxies);
    this.#proxies = proxies;
    this.#proxyUrl = wanted;
  }

  /** App-state versions are written once the changes they stand for have been emitted, and worked off. */
  #releaseSoon(): void {
    if (this.#releasing) return;
    this.#releasing = true;
    setTimeout(() => {
      this.#releasing = false;
      const ev = this.#lifecycle.open?.sock.ev;
      if (ev === undefined || ev.isBuffering()) {
        if (this.#auth.held().length > 0) this.#releaseSoon();
        return;
      }
      const held = this.#auth.held();
      void this.#journal.tasksDone().then(() => this.#auth.release(held));
    }, FLUSHED_AFTER_MS).unref();
  }
}

/** Nothing of the local network leaves the machine, so a proxy elsewhere is not for it. */
function proxyFor(network: Network, url: string | null): string | null {
  if (network.kind === "real" || url === null) return url;
  const host = URL.canParse(url) ? new URL(url).hostname : "";
  return host === "127.0.0.1" || host === "localhost" || host === "[::1]" ? url : null;
}

function phoneOf(mirror: Mirror, lid: string): string | undefined {
  const phone = mirror.get(`lid-mapping|${lid}_reverse`);
  return typeof phone === "string" ? phone : undefined;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
