// One session. It connects its Connection object's socket with the network driver, through the write-behind cache.
import { setTimeout as pause } from "node:timers/promises";
import type { Semaphore } from "async-mutex";
import type { Logger } from "pino";
import { AWAY_AFTER_MS, type Placement } from "@gateway/protocol/bridge-socket.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { type FromBridge, type SessionSettings, NO_RESULT_ID, type ToBridge } from "@gateway/protocol/session-socket.ts";
import { errorFacts } from "./log.ts";
import type { DialQueue } from "./gateway/dial-queue.ts";
import type { LossSpread } from "./loss-spread.ts";
import type { OpenSockets } from "./open-sockets.ts";
import type { BridgeMetrics } from "./metrics/bridge-metrics.ts";
import { frameJson } from "./gateway/frame-json.ts";
import { createMediaLink } from "./gateway/media-link.ts";
import { ColdRowReads } from "./store/cold-row-reads.ts";
import type { NetworkDriver, NetworkLibrary } from "./networks/network.ts";
import { WriteBehindCache } from "./store/write-behind-cache.ts";
import { RowCodec } from "./store/row-codec.ts";
import { SessionSocket, type Welcome } from "./gateway/session-socket.ts";
import type { Settings } from "./settings.ts";
import type { Tracer } from "@gateway/tracing/span.ts";

/** After this time, messages wait at the network (docs/internals/durability.md, "When the object does not confirm commits"). */
const STORE_SILENT_TIMEOUT_MS = 5_000;
/** A socket that is silent for this long is considered dead. The next one says which commits were stored, and gets the others again. */
const STORE_DEAD_TIMEOUT_MS = 10_000;
const FINAL_COMMIT_TIMEOUT_MS = 5_000;
/** Poll interval while a session waits for its object's decision. */
const INSTRUCTION_CHECK_INTERVAL_MS = 50;

export type SessionDependencies = {
  settings: Settings;
  logger: Logger;
  library: NetworkLibrary;
  connectSlots: Semaphore;
  openSockets: OpenSockets;
  losses: LossSpread;
  dials: DialQueue;
  metrics: BridgeMetrics;
  tracer: Tracer | null;
};

/** A `loading` session waits for its state, a `connecting` one pairs, connects or reconnects, and an `open` one can send messages. */
export const SESSION_STATES = ["loading", "connecting", "open"] as const;
export type SessionState = (typeof SESSION_STATES)[number];

type LoadedState = { store: WriteBehindCache; coldRows: ColdRowReads; driver: NetworkDriver | null };

export class Session {
  readonly placement: Placement;
  readonly #deps: SessionDependencies;
  readonly #logger: Logger;
  readonly #socket: SessionSocket;
  readonly #onEnd: () => void;
  #state: LoadedState | null = null;
  #settings: SessionSettings | null = null;
  #stopping: Promise<void> | null = null;
  #unlinks = false;
  readonly #finishNow = new AbortController();
  #ended = false;
  /** When a linked session lost its open network socket. Null while it is connected. */
  #disconnectedAt: number | null = null;
  readonly #endSignal = new AbortController();
  readonly #commands = new Set<Promise<void>>();

  constructor(deps: SessionDependencies, placement: Placement, ticket: string, onEnd: () => void) {
    this.placement = placement;
    this.#deps = deps;
    this.#onEnd = onEnd;
    this.#logger = deps.logger.child({ connection: placement.connection, generation: placement.generation });
    const { losses, dials, settings } = deps;
    const { gatewayUrl, bridgeId, credential } = settings;
    const isWaiting = (): boolean => this.pendingCommits > 0 || (this.#state?.coldRows.isWaiting ?? false);
    this.#socket = new SessionSocket(
      { gatewayUrl, bridgeId, credential, ticket, ...placement, hasState: () => this.#driver !== null, isWaiting, losses, dials },
      {
        welcomed: (welcome) => this.#welcomed(welcome),
        received: (frame) => this.#received(frame),
        ended: (how) => this.#lost(how),
        redialling: () => deps.metrics.redialled(),
      },
    );
  }

  /** True if the session is linked but has had no network socket for longer than a reconnect takes. Called with every load report. */
  isAway(now: number): boolean {
    this.#noteConnection(now);
    return this.#disconnectedAt !== null && now - this.#disconnectedAt >= AWAY_AFTER_MS;
  }

  get open(): boolean {
    return this.#driver?.open ?? false;
  }

  get state(): SessionState {
    if (this.#driver === null) return "loading";
    return this.open ? "open" : "connecting";
  }

  get journalEntries(): number {
    return this.#driver?.journalEntries ?? 0;
  }

  get pendingCommits(): number {
    return this.#state?.store.pending ?? 0;
  }

  start(): void {
    this.#socket.dial();
  }

  redial(): void {
    this.#socket.dialNow();
  }

  #noteConnection(now: number): void {
    const isGone = this.#driver?.paired === true && !this.open;
    this.#disconnectedAt = isGone ? (this.#disconnectedAt ?? now) : null;
  }

  checkStore(now: number): void {
    this.#noteConnection(now);
    const silentMs = this.#state?.store.waitingMs ?? 0;
    if (silentMs < STORE_SILENT_TIMEOUT_MS) return;
    if (this.open) {
      this.#logger.warn("store.silent");
      this.#driver?.disconnect();
    }
    if (silentMs >= STORE_DEAD_TIMEOUT_MS) this.#socket.redial(STORE_DEAD_TIMEOUT_MS);
  }

  /** Flushes commits and ends the session. Running work may take `finishMs`. A repeated call can cut that short, or add a logout. */
  async stop(logout: boolean, finishMs = 0): Promise<void> {
    if (this.#ended) return;
    this.#unlinks ||= logout;
    if (finishMs === 0) this.#finishNow.abort();
    this.#stopping ??= this.#stop(finishMs);
    await this.#stopping;
  }

  async #stop(finishMs: number): Promise<void> {
    if (finishMs > 0) await this.#finished(finishMs);
    if (this.#ended) return;
    await this.#driver?.stop(this.#unlinks);
    await this.#end();
  }

  /** Called when the pool does not know this session. Its object must decide within `ms`, over a new socket, whether it stays. */
  async stopUnlessInstructed(ms: number): Promise<void> {
    this.#socket.redial(0);
    const until = performance.now() + ms;
    while (this.#stopping === null && !this.#ended && !this.#socket.connected && performance.now() < until)
      await pause(INSTRUCTION_CHECK_INTERVAL_MS);
    if (this.#stopping === null) await this.stop(false);
  }

  /** Drops everything immediately, because a newer generation exists and the object no longer accepts our commits. */
  drop(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#endSignal.abort();
    this.#socket.close();
    const driver = this.#driver;
    driver?.disconnect();
    void driver?.stop(false);
    this.#state?.coldRows.rejectAll();
    this.#onEnd();
  }

  get #driver(): NetworkDriver | null {
    return this.#state?.driver ?? null;
  }

  #welcomed(welcome: Welcome): void {
    const state = (this.#state ??= this.#createState(welcome));
    if (state.driver === null) {
      this.#settings = welcome.settings;
      return;
    }
    const unconfirmed = state.store.resume(welcome.stored_through);
    if (unconfirmed !== null) this.#socket.send(unconfirmed);
    this.#change(welcome.settings);
    state.coldRows.resend();
  }

  /** Ignored while stopping, because a proxy change would close the network socket before the device is unlinked. */
  #change(settings: SessionSettings): void {
    if (this.#stopping !== null) return;
    this.#settings = settings;
    this.#driver?.settingsChanged();
  }

  #createState(welcome: Welcome): LoadedState {
    const codec = new RowCodec(Buffer.from(welcome.state_key, "base64"), this.#deps.library.rows);
    const { metrics } = this.#deps;
    const store = new WriteBehindCache(
      codec,
      welcome.stored_through,
      () => this.#commit(),
      (tookMs) => metrics.committed(tookMs),
    );
    const fetch = (frame: FromBridge): void => {
      this.#socket.dialNow();
      this.#socket.send(frame);
    };
    return { store, coldRows: new ColdRowReads(store, fetch), driver: null };
  }

  #received(frame: Exclude<ToBridge, Welcome>): void {
    const state = this.#state;
    if (state === null) return;
    switch (frame.type) {
      case "stored":
        state.store.confirm(frame.seq);
        this.#commit();
        return;
      case "load":
        if (state.driver === null) this.#load(state, frame);
        return;
      case "rows":
        state.coldRows.received(frame.id, frame.rows);
        return;
      case "command":
        this.#track(this.#command(frame));
        return;
      case "settings":
        this.#change(frame.settings);
        return;
      case "stop":
        this.#logger.info({ logout: frame.logout }, "session.stopped");
        void this.stop(frame.logout, frame.finish_ms);
        return;
    }
  }

  #load(state: LoadedState, frame: Extract<ToBridge, { type: "load" }>): void {
    state.store.load(frame.rows);
    if (!frame.last) return;
    try {
      state.driver = this.#createDriver(state);
      state.driver.start();
    } catch (error) {
      // State that cannot be decrypted must not be used, so the session ends.
      this.#logger.error(errorFacts(error), "state.unreadable");
      const timestamp = Math.floor(Date.now() / 1000);
      state.store.emit([{ key: null, event: { type: "session.gave_up", reason: "internal", timestamp } }]);
      void this.#end();
    }
  }

  #createDriver({ store, coldRows }: LoadedState): NetworkDriver {
    const { settings, library, connectSlots, openSockets, metrics, tracer } = this.#deps;
    return library.createDriver({
      connection: this.placement.connection,
      logger: this.#logger,
      store,
      coldRows,
      media: createMediaLink(
        { url: settings.gatewayUrl, credential: settings.credential },
        this.placement.connection,
        this.#endSignal.signal,
      ),
      connectSlots,
      openSockets,
      metrics,
      tracer,
      settings: () => this.#settingsNow(),
      ended: this.#endSignal.signal,
      finished: () => void this.#end(),
    });
  }

  #settingsNow(): SessionSettings {
    if (this.#settings === null) throw new Error("no settings before the first welcome");
    return this.#settings;
  }

  #commit(): void {
    this.#socket.dialNow();
    if (!this.#socket.connected) return;
    const frame = this.#state?.store.nextCommit() ?? null;
    if (frame !== null) this.#socket.send(frame);
  }

  /** Resolves when all sends and commands have ended, after `ms`, or on abort. */
  async #finished(ms: number): Promise<void> {
    const ended = Promise.all([this.#driver?.sendsEnded(ms), ...this.#commands]);
    await Promise.race([ended, pause(ms, undefined, { signal: this.#finishNow.signal }).catch(() => undefined)]);
    this.#finishNow.abort();
  }

  async #command({ id, name, input, deadline_ms, trace }: Extract<ToBridge, { type: "command" }>): Promise<void> {
    const span = this.#deps.tracer?.resume(trace, `bridge ${name}`, "server", { "gateway.connection": this.placement.connection }) ?? null;
    const outcome =
      (await this.#driver?.command(name, input, deadline_ms, span).catch((error: unknown): Outcome<never> => {
        this.#logger.error({ name, ...errorFacts(error) }, "command.failed");
        return fail("internal_error");
      })) ?? fail("instance_reconnecting");
    // A send that was accepted keeps its span open until its outcome is known.
    if (name !== "send" || !outcome.ok) span?.end({ code: outcome.ok ? undefined : outcome.failure.code });
    if (id === NO_RESULT_ID) return;
    this.#socket.send(
      outcome.ok ? { type: "result", id, ok: true, value: frameJson(outcome.value) } : { type: "failed", id, failure: outcome.failure },
    );
  }

  #track(command: Promise<void>): void {
    this.#commands.add(command);
    void command.finally(() => this.#commands.delete(command));
  }

  async #end(): Promise<void> {
    if (this.#ended) return;
    const timeout = new Promise((resolve) => setTimeout(resolve, FINAL_COMMIT_TIMEOUT_MS).unref());
    await Promise.race([this.#state?.store.flushed(), timeout]);
    if (this.#ended) return;
    this.#ended = true;
    this.#endSignal.abort();
    this.#socket.close();
    // Stops the driver's timers, which would otherwise keep its state in memory.
    void this.#driver?.stop(false);
    this.#state?.coldRows.rejectAll();
    this.#onEnd();
  }

  #lost(how: "fenced" | "stopped"): void {
    this.#logger.warn({ how }, "session.lost");
    this.drop();
  }
}
