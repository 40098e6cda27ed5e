// One session: the socket to its Connection object on one side, the network driver on the other, the mirror between them.
import type { Logger } from "pino";
import type { Placement } from "../src/protocol/bridge-socket.ts";
import { fail, type Outcome } from "../src/protocol/failures.ts";
import { type SessionSettings, NO_RESULT_ID, type ToBridge } from "../src/protocol/session-socket.ts";
import { errorFacts } from "./log.ts";
import { createMediaLink } from "./gateway/media-link.ts";
import { ColdRows } from "./store/cold-rows.ts";
import { BaileysDriver, type Traffic } from "./networks/baileys/driver.ts";
import { Mirror } from "./store/write-behind-cache.ts";
import { RowCodec } from "./store/row-codec.ts";
import type { Openings } from "./openings.ts";
import { SessionSocket, type Welcome } from "./gateway/session-socket.ts";
import type { Settings } from "./settings.ts";

/**
 * The store not answering for so long: the network's own queue is the better place for what comes in (docs/durability.md, "When the store
 * does not answer").
 */
const STORE_SILENT_MS = 5_000;
/** Then its socket is taken for dead: a new one asks what was stored, and sends the rest again. */
const STORE_DEAD_MS = 10_000;
/** How long a session that ends waits for its last commits. */
const LAST_COMMITS_MS = 5_000;

export type SessionParts = { settings: Settings; logger: Logger; openings: Openings; traffic: Traffic };

type State = { mirror: Mirror; coldRows: ColdRows; driver: BaileysDriver | null };

export class Session {
  readonly placement: Placement;
  readonly #parts: SessionParts;
  readonly #logger: Logger;
  readonly #socket: SessionSocket;
  readonly #onEnd: () => void;
  #state: State | null = null;
  #settings: SessionSettings | null = null;
  #ended = false;

  constructor(parts: SessionParts, placement: Placement, ticket: string, onEnd: () => void) {
    this.placement = placement;
    this.#parts = parts;
    this.#onEnd = onEnd;
    this.#logger = parts.logger.child({ connection: placement.connection, generation: placement.generation });
    const { gatewayUrl, bridgeId } = parts.settings;
    this.#socket = new SessionSocket(
      { gatewayUrl, bridgeId, ticket, ...placement, hasState: () => this.#driver !== null },
      {
        welcomed: (welcome) => this.#welcomed(welcome),
        received: (frame) => this.#received(frame),
        disconnected: () => undefined,
        ended: (how) => this.#lost(how),
      },
    );
  }

  get open(): boolean {
    return this.#driver?.open ?? false;
  }

  get pendingCommits(): number {
    return this.#state?.mirror.pending ?? 0;
  }

  start(): void {
    this.#socket.dial();
  }

  /** Called about every second. */
  watchStore(now: number): void {
    const since = this.#state?.mirror.waitingSince ?? null;
    if (since === null || now - since < STORE_SILENT_MS) return;
    if (this.open) {
      this.#logger.warn("store.silent");
      this.#driver?.cut();
    }
    if (now - since >= STORE_DEAD_MS) this.#socket.redial(STORE_DEAD_MS);
  }

  /** Closes the network socket, hands over what is left, leaves. */
  async stop(logout: boolean): Promise<void> {
    if (this.#ended) return;
    await this.#driver?.stop(logout);
    await this.#leave();
  }

  /** Drops everything at once: another holder has a newer generation, so nothing of ours counts any more. */
  drop(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#socket.close();
    const driver = this.#driver;
    driver?.cut();
    void driver?.stop(false);
    this.#state?.coldRows.giveUp();
    this.#onEnd();
  }

  get #driver(): BaileysDriver | null {
    return this.#state?.driver ?? null;
  }

  #welcomed(welcome: Welcome): void {
    this.#settings = welcome.settings;
    const state = (this.#state ??= this.#createState(welcome));
    if (state.driver === null) return;
    const unconfirmed = state.mirror.again(welcome.stored_through);
    if (unconfirmed !== null) this.#socket.send(unconfirmed);
    state.driver.settingsChanged();
    state.coldRows.askAgain();
  }

  #createState(welcome: Welcome): State {
    const codec = new RowCodec(Buffer.from(welcome.state_key, "base64"));
    const mirror = new Mirror(codec, welcome.stored_through, () => this.#commit());
    return { mirror, coldRows: new ColdRows(mirror, (frame) => this.#socket.send(frame)), driver: null };
  }

  #received(frame: Exclude<ToBridge, Welcome>): void {
    const state = this.#state;
    if (state === null) return;
    switch (frame.type) {
      case "stored":
        state.mirror.stored(frame.seq);
        this.#commit();
        return;
      case "load":
        if (state.driver === null) this.#load(state, frame);
        return;
      case "rows":
        state.coldRows.answered(frame.id, frame.rows);
        return;
      case "command":
        void this.#command(frame);
        return;
      case "settings":
        this.#settings = frame.settings;
        state.driver?.settingsChanged();
        return;
      case "stop":
        this.#logger.info({ logout: frame.logout }, "session.stopped");
        void this.stop(frame.logout);
        return;
    }
  }

  #load(state: State, frame: Extract<ToBridge, { type: "load" }>): void {
    state.mirror.load(frame.rows);
    if (!frame.last) return;
    try {
      state.driver = this.#createDriver(state);
      state.driver.start();
    } catch (error) {
      // Rows that cannot be opened: whatever was done with them would do harm.
      this.#logger.error(errorFacts(error), "state.unreadable");
      const timestamp = Math.floor(Date.now() / 1000);
      state.mirror.emit([{ key: null, event: { type: "session.gave_up", reason: "internal", timestamp } }]);
      void this.#leave();
    }
  }

  #createDriver({ mirror, coldRows }: State): BaileysDriver {
    const { settings, openings, traffic } = this.#parts;
    return new BaileysDriver({
      connection: this.placement.connection,
      logger: this.#logger,
      network: settings.network,
      mirror,
      coldRows,
      media: createMediaLink({ url: settings.gatewayUrl, secret: settings.secret }, this.placement.connection),
      openings,
      traffic,
      settings: () => this.#settingsNow(),
      finished: () => void this.#leave(),
    });
  }

  #settingsNow(): SessionSettings {
    if (this.#settings === null) throw new Error("no settings before the first welcome");
    return this.#settings;
  }

  #commit(): void {
    if (!this.#socket.connected) return;
    const frame = this.#state?.mirror.next() ?? null;
    if (frame !== null) this.#socket.send(frame);
  }

  async #command({ id, name, input }: Extract<ToBridge, { type: "command" }>): Promise<void> {
    const outcome =
      (await this.#driver?.command(name, input).catch((error: unknown): Outcome<never> => {
        this.#logger.error({ name, ...errorFacts(error) }, "command.failed");
        return fail("internal_error");
      })) ?? fail("instance_reconnecting");
    if (id === NO_RESULT_ID) return;
    this.#socket.send(
      outcome.ok
        ? { type: "result", id, ok: true, value: JSON.stringify(outcome.value) }
        : { type: "failed", id, failure: outcome.failure },
    );
  }

  /** The network side is done with; what it last said still has to arrive. */
  async #leave(): Promise<void> {
    if (this.#ended) return;
    const patience = new Promise((resolve) => setTimeout(resolve, LAST_COMMITS_MS).unref());
    await Promise.race([this.#state?.mirror.settled(), patience]);
    if (this.#ended) return;
    this.#ended = true;
    this.#socket.close();
    this.#state?.coldRows.giveUp();
    this.#onEnd();
  }

  #lost(how: "fenced" | "stopped"): void {
    this.#logger.warn({ how }, "session.lost");
    this.drop();
  }
}
