import { numberHealth } from "@gateway/domain/instance/number-health.ts";
import type { NumberHealth } from "@gateway/protocol/health.ts";
import type { ConnectionKind } from "@gateway/protocol/operations.ts";
import type { EventHandlers } from "../projection/projection-context.ts";
import type { CloudUpkeep } from "../cloud/upkeep.ts";
import type { Instance } from "./instance.ts";
import type { Identity } from "./identity.ts";
import type { NetworkClient } from "../session/network-client.ts";
import { LIMITS_MAX_AGE_MS, type StoredLimits } from "./account-limits.ts";
import type { SendCount } from "./send-counts.ts";
import type { Stores } from "../store/stores.ts";
import type { HandlersOf } from "../handlers.ts";
import { fail, succeed } from "@gateway/protocol/failures.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";

export type HealthDependencies = {
  identity: Identity;
  instance: Instance;
  network: NetworkClient;
  stores: Stores;
  limits: AccountLimitsCache;
  cloud: { upkeep: Pick<CloudUpkeep, "quality"> };
};

/** Counting scans a day's messages, so the result is cached. */
const COUNTS_MAX_AGE_MS = 10_000;
const RETRY_INTERVAL_MS = 60_000;
const LIMITS_TIMEOUT_MS = 10_000;

export function healthOperations(deps: HealthDependencies): HandlersOf<"instance.health" | "instance.capabilities"> {
  const { identity, instance, limits } = deps;
  const counts = new SendCountsCache(deps);
  const accounts: Record<ConnectionKind, () => Promise<AccountFacts>> = {
    session: async () => {
      const read = await limits.get();
      return { ...NO_FACTS, quota: read?.newChatQuota ?? null, checkedAt: read?.checkedAt ?? null };
    },
    cloud_api: async () => {
      const read = await deps.cloud.upkeep.quality();
      return {
        ...NO_FACTS,
        quality: read?.number.quality ?? null,
        blocked: read?.number.blocked ?? false,
        checkedAt: read?.checkedAt ?? null,
      };
    },
  };
  return {
    "instance.health": async () => succeed(healthOf(deps, await accounts[identity.kind](), counts.get())),

    "instance.capabilities": () => {
      const kind = identity.record?.kind;
      if (kind === undefined) return fail("instance_not_found");
      return succeed({ kind, is_business: instance.state.isBusiness });
    },
  };
}

export const limitEventHandlers: EventHandlers<"account.new_chat_quota"> = {
  "account.new_chat_quota": ({ quota }, { stores, now }) => stores.accountLimits.put({ checkedAt: now, newChatQuota: quota }),
};

/** `blocked` means that the network rejects messages from the number. */
type AccountFacts = {
  quota: StoredLimits["newChatQuota"];
  quality: NumberHealth["quality_rating"];
  blocked: boolean;
  checkedAt: number | null;
};
const NO_FACTS: AccountFacts = { quota: null, quality: null, blocked: false, checkedAt: null };

type LimitsDependencies = Pick<HealthDependencies, "identity" | "instance" | "network" | "stores"> & { onRead: () => void };

/** WhatsApp's limits for a linked number, requested at most every 10 minutes. */
export class AccountLimitsCache {
  readonly #deps: LimitsDependencies;
  #query: Promise<void> | null = null;
  #triedAt = 0;

  constructor(deps: LimitsDependencies) {
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
    const { identity, instance, stores } = this.#deps;
    if (identity.kind !== "session" || instance.state.status !== "connected") return false;
    const stored = stores.accountLimits.get();
    if (stored !== null && Date.now() - stored.checkedAt < LIMITS_MAX_AGE_MS) return false;
    return this.#query !== null || Date.now() - this.#triedAt >= RETRY_INTERVAL_MS;
  }

  async #read(): Promise<void> {
    const { network, stores } = this.#deps;
    this.#triedAt = Date.now();
    const result = await network.command("account.limits", {}, LIMITS_TIMEOUT_MS);
    if (result.ok) stores.accountLimits.put({ checkedAt: Date.now(), newChatQuota: result.value.new_chat_quota });
  }
}

class SendCountsCache {
  readonly #deps: HealthDependencies;
  #counts: SendCount | null = null;
  #at = 0;

  constructor(deps: HealthDependencies) {
    this.#deps = deps;
  }

  get(): SendCount {
    const { stores } = this.#deps;
    if (this.#counts === null || Date.now() - this.#at >= COUNTS_MAX_AGE_MS) {
      this.#at = Date.now();
      this.#counts = stores.sendCounts.after(Math.floor((this.#at - DAY_MS) / 1000));
    }
    return this.#counts;
  }
}

function healthOf({ instance, stores }: HealthDependencies, account: AccountFacts, counts: SendCount): NumberHealth {
  const { state } = instance;
  const since = Date.now() - DAY_MS;
  const { sent, failed, delivered, read, coldRefusals, warmRefusals } = counts;
  const { restriction } = state;
  const over = restriction !== null && restriction.ends_at !== null && restriction.ends_at * 1000 <= Date.now();
  const facts = {
    restriction: over ? null : restriction,
    new_chat_quota: account.quota,
    quality_rating: account.quality,
    sends_24h: sent,
    failed_24h: failed,
    code463_24h: { cold: coldRefusals, warm: warmRefusals },
    delivered_rate_24h: sent === 0 ? null : delivered / sent,
    read_rate_24h: sent === 0 ? null : read / sent,
    reconnects_24h: stores.reconnectLog.countAfter(since),
  };
  return {
    ...numberHealth({ ...facts, blocked: account.blocked, status: state.status, reason: state.reason }),
    ...facts,
    last_inbound_at: stores.messageQueries.lastReceivedAt(),
    connected_since: state.connectedAt,
    checked_at: account.checkedAt,
  };
}
