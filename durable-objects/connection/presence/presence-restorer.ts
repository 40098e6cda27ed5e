import { errorFields, log } from "#root/src/log.ts";
import { batchesOf } from "#root/src/services/batches.ts";
import type { Identity } from "../instance/identity.ts";
import type { NetworkClient } from "../session/network-client.ts";
import type { Presences } from "./presences.ts";

const CHATS_PER_COMMAND = 100;

export class PresenceRestorer {
  readonly #network: NetworkClient;
  readonly #presences: Presences;
  readonly #identity: Identity;

  constructor(network: NetworkClient, presences: Presences, identity: Identity) {
    this.#network = network;
    this.#presences = presences;
    this.#identity = identity;
  }

  /** Restores presences and subscriptions in the background. A failed batch is skipped. If the session closes, the next one starts over. */
  sessionUp(): void {
    void this.#restore().catch((error: unknown) => log("presence.not_resumed", { connection: this.#identity.uuid, ...errorFields(error) }));
  }

  async #restore(): Promise<void> {
    const own = this.#presences.own();
    if (own !== null) await this.#network.command("presence.set", { presence: own });
    const chats = this.#presences.subscriptions();
    for (const batch of batchesOf(chats, CHATS_PER_COMMAND)) {
      await this.#network.command("presence.subscribe", { chat_ids: batch, wait_ms: 0 });
    }
  }
}
