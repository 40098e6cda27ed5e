// Presence is forgotten by the network with every socket, and by a bridge that dies: each session that comes up is told it again.
import { errorFields, log } from "../../src/log.ts";
import type { NetworkClient } from "./session/network-client.ts";
import type { Presences } from "./store/chats/presences.ts";

export type PresenceRestorerDependencies = {
  network: NetworkClient;
  presences: Presences;
  /** The connection's UUID. */
  connection: () => string;
};

/** One command's worth; the bridge asks for them one after the other. */
const CHATS_PER_COMMAND = 100;

export class PresenceRestorer {
  readonly #deps: PresenceRestorerDependencies;

  constructor(deps: PresenceRestorerDependencies) {
    this.#deps = deps;
  }

  /** Not waited for: what a session that goes down again has not heard, the next one hears. */
  sessionUp(now: number): void {
    void this.#restore(now).catch((error: unknown) =>
      log("presence.not_resumed", { connection: this.#deps.connection(), ...errorFields(error) }),
    );
  }

  async #restore(now: number): Promise<void> {
    const { network, presences } = this.#deps;
    const own = presences.own();
    if (own !== null) await network.command("presence.set", { presence: own }, now);
    const chats = presences.subscriptions();
    for (let at = 0; at < chats.length; at += CHATS_PER_COMMAND) {
      const watched = await network.command(
        "presence.subscribe",
        { chat_ids: chats.slice(at, at + CHATS_PER_COMMAND), wait_ms: 0 },
        Date.now(),
      );
      if (!watched.ok) return;
    }
  }
}
