// Presence is forgotten by the network with every socket, and by a bridge that dies: each session that comes up is told it again.
import { errorFields, log } from "../../src/log.ts";
import type { Network } from "./session/network.ts";
import type { Presences } from "./store/presences.ts";

export type PresenceUpkeepParts = {
  network: Network;
  presences: Presences;
  /** The connection's UUID. */
  connection: () => string;
};

/** One command's worth; the bridge asks for them one after the other. */
const CHATS_AT_ONCE = 100;

export class PresenceUpkeep {
  readonly #parts: PresenceUpkeepParts;

  constructor(parts: PresenceUpkeepParts) {
    this.#parts = parts;
  }

  /** Not waited for: what a session that goes down again has not heard, the next one hears. */
  sessionUp(now: number): void {
    void this.#tell(now).catch((error: unknown) =>
      log("presence.not_resumed", { connection: this.#parts.connection(), ...errorFields(error) }),
    );
  }

  async #tell(now: number): Promise<void> {
    const { network, presences } = this.#parts;
    const wish = presences.own();
    if (wish !== null) await network.command("presence.set", { presence: wish }, now);
    const chats = presences.subscriptions();
    for (let at = 0; at < chats.length; at += CHATS_AT_ONCE) {
      const told = await network.command("presence.subscribe", { chat_ids: chats.slice(at, at + CHATS_AT_ONCE), wait_ms: 0 }, Date.now());
      if (!told.ok) return;
    }
  }
}
