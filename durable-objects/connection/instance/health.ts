import { numberHealth } from "@gateway/domain/instance/number-health.ts";
import type { NumberHealth } from "@gateway/protocol/health.ts";
import type { ConnectionKind } from "@gateway/protocol/operations.ts";
import type { CloudUpkeep } from "../cloud/cloud-upkeep.ts";
import type { Instance } from "./instance.ts";
import type { Identity } from "./identity.ts";
import type { NetworkClient } from "../session/network-client.ts";
import type { AccountLimitsCache } from "./account-limits-cache.ts";
import type { StoredLimits } from "./account-limits.ts";
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

export function healthHandlers(deps: HealthDependencies): HandlersOf<"instance.health" | "instance.capabilities"> {
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

/** `blocked` means that the network rejects messages from the number. */
type AccountFacts = {
  quota: StoredLimits["newChatQuota"];
  quality: NumberHealth["quality_rating"];
  blocked: boolean;
  checkedAt: number | null;
};
const NO_FACTS: AccountFacts = { quota: null, quality: null, blocked: false, checkedAt: null };

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
