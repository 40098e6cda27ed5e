import type { StoredTime } from "@gateway/domain/spread.ts";
import type { NetworkClient } from "../session/network-client.ts";
import type { Stores } from "../store/stores.ts";
import { LIMITS_MAX_AGE_MS, type StoredLimits } from "./account-limits.ts";
import type { Identity } from "./identity.ts";
import type { Instance } from "./instance.ts";

const RETRY_INTERVAL_MS = 60_000;
const LIMITS_TIMEOUT_MS = 10_000;

type Dependencies = {
  identity: Identity;
  instance: Instance;
  network: NetworkClient;
  stores: Stores;
  /** When the network last refused. */
  refused: StoredTime;
  onRead: () => void;
};

/** WhatsApp's limits for a linked number, requested at most every 10 minutes. */
export class AccountLimitsCache {
  readonly #deps: Dependencies;
  #query: Promise<void> | null = null;
  /** Also limits the requests while a full disk prevents storing the outcome. */
  #triedAt = 0;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  async get(): Promise<StoredLimits | null> {
    if (this.isOutdated()) {
      this.#query ??= this.#read().finally(() => {
        this.#query = null;
        this.#deps.onRead();
      });
      await this.#query;
    }
    return this.#deps.stores.accountLimits.get();
  }

  get version(): number {
    return this.#deps.stores.accountLimits.version;
  }

  /** True if `get` would ask the network, or is asking it. */
  isOutdated(): boolean {
    const { identity, instance, refused, stores } = this.#deps;
    if (identity.kind !== "session" || instance.state.status !== "connected") return false;
    const stored = stores.accountLimits.get();
    if (stored !== null && Math.abs(Date.now() - stored.checkedAt) < LIMITS_MAX_AGE_MS) return false;
    return this.#query !== null || Math.abs(Date.now() - Math.max(refused.get() ?? 0, this.#triedAt)) >= RETRY_INTERVAL_MS;
  }

  async #read(): Promise<void> {
    const { network, refused, stores } = this.#deps;
    this.#triedAt = Date.now();
    const result = await network.command("account.limits", {}, LIMITS_TIMEOUT_MS);
    if (result.ok) stores.accountLimits.put({ checkedAt: Date.now(), newChatQuota: result.value.new_chat_quota });
    else {
      try {
        refused.set(Date.now());
      } catch {
        // The caller still gets the earlier limits.
      }
    }
  }
}
