// Asks the gateway at startup for this bridge's pool, unless `BRIDGE_POOL` sets it (docs/operate/bridges.md, "Pool shards").
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { BridgeHome, INTERNAL } from "@gateway/protocol/internal-http.ts";
import { backoffMs } from "../reconnect-delays.ts";
import type { Settings } from "../settings.ts";
import { isOwnRefusal, USER_AGENT } from "./refusals.ts";

const TIMEOUT_MS = 10_000;
const RETRY_FIRST_MS = 200;
const RETRY_CAP_MS = 5_000;

/** Retries until the gateway responds. If the gateway rejects the bridge, the control socket reports it. */
export async function withAssignedPool(settings: Settings, logger: Logger): Promise<Settings> {
  if (settings.pool !== null) return settings;
  for (let attempt = 1; ; attempt++) {
    const assigned = await ask(settings);
    if (assigned === "refused") return settings;
    if (assigned !== "unreachable") {
      logger.info({ pool: assigned.pool }, "pool.home");
      return { ...settings, ...assigned };
    }
    await sleep(backoffMs(attempt, RETRY_FIRST_MS, RETRY_CAP_MS));
  }
}

async function ask({ gatewayUrl, credential, region }: Settings): Promise<BridgeHome | "unreachable" | "refused"> {
  const url = new URL(INTERNAL.home, gatewayUrl);
  if (region !== null) url.searchParams.set("region", region);
  try {
    const response = await fetch(url, {
      headers: { ...USER_AGENT, authorization: `Bearer ${credential}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const isRetryable = response.status >= 500 || response.status === 429;
    if (!response.ok) return !isRetryable && (await isOwnRefusal(response.body)) ? "refused" : "unreachable";
    return BridgeHome.safeParse(await response.json()).data ?? "refused";
  } catch {
    return "unreachable";
  }
}
