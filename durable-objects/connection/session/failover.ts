// Failover to the next session. Stops older sessions and finds a bridge for the new one, as the effects of the state machine require.
import { type Effect, wantsSession } from "@gateway/domain/instance/state.ts";
import { SESSION_CLOSE } from "@gateway/protocol/session-socket.ts";
import { errorFields, log } from "#root/src/log.ts";
import type { BridgePoolStub, Placed } from "#root/src/services/bridges/pool-stub.ts";
import type { Instance } from "../instance/instance.ts";
import type { Identity } from "../instance/identity.ts";
import type { SessionLink } from "./session-link.ts";
import { closeSocket, sendFrame, type SocketAttachment } from "./session-sockets.ts";
import type { Tickets } from "./tickets.ts";

/** How long the next session waits for the previous one to commit its state or unlink its device. */
const HANDOVER_TIMEOUT_MS = 1_000;
const UNLINK_TIMEOUT_MS = 5_000;
/** Time for a working bridge to finish running sends and commands before it commits. */
const FINISH_MS = 3_000;
const FINISHED_TIMEOUT_MS = 5_000;

type SessionPool = Pick<BridgePoolStub, "place" | "release">;

export type FailoverDependencies = {
  link: SessionLink;
  tickets: Tickets;
  instance: Instance;
  identity: Identity;
  poolOf: (home: string | null) => SessionPool;
};

export class Failover {
  readonly #deps: FailoverDependencies;
  readonly #onPlaced: (generation: number, placed: Placed) => void;

  constructor(deps: FailoverDependencies, onPlaced: (generation: number, placed: Placed) => void) {
    this.#deps = deps;
    this.#onPlaced = onPlaced;
  }

  apply(effects: readonly Effect[], now: number): void {
    const { generation } = this.#deps.instance.state;
    const has = (type: Effect["type"]) => effects.some((effect) => effect.type === type);
    const unlinks = effects.some((effect) => effect.type === "stop" && effect.logout);
    const finishes = effects.some((effect) => effect.type === "stop" && effect.finish);
    const handoverMs = unlinks ? UNLINK_TIMEOUT_MS : finishes ? FINISHED_TIMEOUT_MS : HANDOVER_TIMEOUT_MS;
    if (has("stop")) this.#stop(unlinks, finishes, now);
    if (has("wipe")) this.#discardRowsOfOlder(generation);
    if (has("place")) void this.#placeAfterPrevious(generation, handoverMs);
    else if (has("stop")) this.release(generation, this.#home());
  }

  #home(): SessionPool {
    return this.#deps.poolOf(this.#deps.identity.record?.home ?? null);
  }

  /** Places the session after a live bridge has ended the older one. A dead bridge has no socket, so there is nothing to wait for. */
  async #placeAfterPrevious(generation: number, ms: number): Promise<void> {
    const older = () => this.#deps.link.sockets.open().some(({ attachment }) => attachment.welcomed && attachment.generation < generation);
    if (older()) await this.#deps.link.waiters.until(() => !older(), ms);
    const { state } = this.#deps.instance;
    if (state.generation === generation && wantsSession(state)) this.#place(generation);
  }

  /** Stops older sessions. A session already stopping gets another stop only if that one is more urgent or unlinks the device. */
  #stop(logout: boolean, finishes: boolean, now: number): void {
    const { generation } = this.#deps.instance.state;
    for (const { socket, attachment } of this.#deps.link.sockets.open()) {
      if (attachment.generation >= generation || isRepeated(attachment, logout, finishes)) continue;
      if (!finishes) this.#deps.link.commands.onSocketLost(socket);
      if (!attachment.welcomed) closeSocket(socket, SESSION_CLOSE.fenced, "fenced");
      else {
        this.#deps.link.sockets.attach(socket, { ...attachment, stopping: { at: now, logout, finish: finishes } });
        sendFrame(socket, { type: "stop", logout, ...(finishes && { finish_ms: FINISH_MS }) });
      }
    }
  }

  #discardRowsOfOlder(generation: number): void {
    for (const { socket, attachment } of this.#deps.link.sockets.open()) {
      if (attachment.generation < generation) this.#deps.link.sockets.attach(socket, { ...attachment, rowsDiscarded: true });
    }
  }

  #place(generation: number): void {
    const ticket = this.#deps.tickets.issue(generation);
    this.#home()
      .place({ connection: this.#deps.identity.uuid, generation, ticket })
      .then(
        (placed) => this.#onPlaced(generation, placed),
        (error: unknown) => log("session.place_failed", { connection: this.#deps.identity.uuid, generation, ...errorFields(error) }),
      );
  }

  release(below: number, pool: SessionPool): void {
    pool.release({ connection: this.#deps.identity.uuid, below }).catch((error: unknown) => {
      log("session.release_failed", { connection: this.#deps.identity.uuid, below, ...errorFields(error) });
    });
  }
}

/** True if the session is already stopping in this way. A more urgent stop, or one that unlinks, may still follow. */
function isRepeated({ stopping }: SocketAttachment, logout: boolean, finishes: boolean): boolean {
  return stopping !== null && (stopping.logout || !logout) && (!stopping.finish || finishes);
}
