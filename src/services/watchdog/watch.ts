// The watchdog, once a minute: work of objects whose alarm was lost (docs/architecture.md, "Alarms").
import type { Env } from "../../env.ts";
import { removeDueAccounts, resumeAccountRemovals } from "../accounts/remove.ts";
import { mapInBatches } from "../batches.ts";
import { pushPendingEndpoints } from "../account-webhooks/push.ts";
import { bridgePoolStub } from "../bridges/pool-stub.ts";
import { pushOwedRecords } from "../connections/owed-records.ts";
import { pushPendingRecords } from "../connections/push-records.ts";
import { connectionStub } from "../connections/stub.ts";
import { overdueConnections, postponeDue } from "../connections/directory-state.ts";
import { finishRemovals } from "../connections/remove.ts";
import { purgeIdentityRows } from "../identity/purge.ts";
import { retireSigningKeys } from "../identity/signing-keys.ts";
import { purgeCounts } from "../statistics/push.ts";
import { resealSlice } from "../secrets/reseal.ts";
import { purgeMedia } from "../media/purge.ts";

/** Work is overdue after this time; a busy object is faster. */
const OVERDUE_MS = 60_000;
/** A poked object that writes no new due time is poked again after this time. */
const POKE_AGAIN_MS = 600_000;
const MAX_POKED = 200;
/** Objects called at once: each call is one subrequest. */
const POKE_CONCURRENCY = 20;
const MAX_REMOVED = 20;
/** Accounts whose pending webhook endpoints, and changes of the account, are pushed in one run. */
const MAX_PUSHED_ACCOUNTS = 20;
/** Connections whose pending records are pushed in one run. */
const MAX_PUSHED_RECORDS = 200;

/** Runs every task, whether or not others fail; failures are thrown at the end, so that the platform shows them. */
export async function runWatchdog(env: Env, now: number): Promise<void> {
  const rounds = await Promise.allSettled([
    pokeOverdue(env, now),
    finishRemovals(env, now, MAX_REMOVED),
    removeDueAccounts(env, now, MAX_REMOVED),
    resumeAccountRemovals(env, now, MAX_REMOVED),
    pushPendingEndpoints(env, now, MAX_PUSHED_ACCOUNTS),
    pushOwedRecords(env, now, MAX_PUSHED_ACCOUNTS),
    pushPendingRecords(env, undefined, MAX_PUSHED_RECORDS),
    purgeMedia(env.MEDIA, now),
    purgeIdentityRows(env.DB, now),
    purgeCounts(env.DB, now),
    resealSlice(env),
    retireSigningKeys(env, now),
    bridgePoolStub(env).keepBridges(),
  ]);
  const failures = rounds.flatMap((round) => (round.status === "rejected" ? [round.reason as unknown] : []));
  if (failures.length > 0) throw new AggregateError(failures, "tasks of the watchdog failed");
}

async function pokeOverdue(env: Env, now: number): Promise<void> {
  const dueBefore = now - OVERDUE_MS;
  await mapInBatches(await overdueConnections(env.DB, dueBefore, MAX_POKED), POKE_CONCURRENCY, async ({ id, uuid }) => {
    let dueAt = now;
    try {
      await connectionStub(env, uuid).poke();
      dueAt += POKE_AGAIN_MS;
    } finally {
      // One that failed goes behind the others.
      await postponeDue(env.DB, id, dueBefore, dueAt);
    }
  });
}
