// Once a minute: what an object would do by itself, had its alarm not been lost (docs/architecture.md, "Alarms").
import type { Env } from "../../env.ts";
import { pushPendingEndpoints } from "../account-webhooks/push.ts";
import { bridgePoolStub } from "../bridges/pool-stub.ts";
import { connectionStub } from "../connections/stub.ts";
import { overdueConnections, postponeDue } from "../connections/directory-state.ts";
import { finishRemovals } from "../connections/remove.ts";
import { purgeMedia } from "../media/purge.ts";

/** Work this late is not merely busy. */
const OVERDUE_MS = 60_000;
/** An object that was poked and does not say when it is due next is poked again after this long. */
const POKE_AGAIN_MS = 600_000;
const MAX_POKED = 200;
const MAX_REMOVED = 20;
/** Accounts whose objects are told of their webhook endpoints in one round. */
const MAX_PUSHED_ACCOUNTS = 20;

/** Every round is tried, whatever became of the one before; what failed is thrown in the end, so that the platform shows it. */
export async function runWatchdog(env: Env, now: number): Promise<void> {
  const rounds = await Promise.allSettled([
    pokeOverdue(env, now),
    finishRemovals(env, now, MAX_REMOVED),
    pushPendingEndpoints(env, now, MAX_PUSHED_ACCOUNTS),
    purgeMedia(env.MEDIA, now),
    bridgePoolStub(env).keepBridges(),
  ]);
  const failures = rounds.flatMap((round) => (round.status === "rejected" ? [round.reason as unknown] : []));
  if (failures.length > 0) throw new AggregateError(failures, "the watchdog could not do all its rounds");
}

async function pokeOverdue(env: Env, now: number): Promise<void> {
  const dueBefore = now - OVERDUE_MS;
  for (const { id, uuid } of await overdueConnections(env.DB, dueBefore, MAX_POKED)) {
    await connectionStub(env, uuid).poke();
    await postponeDue(env.DB, id, dueBefore, now + POKE_AGAIN_MS);
  }
}
