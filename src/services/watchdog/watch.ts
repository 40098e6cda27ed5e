// The watchdog: retries pending pushes and resumes work that would otherwise stall (docs/internals/scheduling.md, "Alarms").
import type { Env } from "../../env.ts";
import { pushPendingEndpoints } from "../account-webhooks/push.ts";
import { removeDueAccounts, resumeAccountRemovals } from "../accounts/remove.ts";
import { keepAllBridges } from "../bridges/pools.ts";
import { rehomeSome } from "../bridges/rehome.ts";
import { pushPendingToObjects } from "../connections/create.ts";
import { pushChangedAccounts } from "../connections/pending-records.ts";
import { finishRemovals } from "../connections/remove.ts";
import { purgeIdentityRows } from "../identity/purge.ts";
import { retireSigningKeys } from "../identity/signing-keys.ts";
import { purgeMedia } from "../media/purge.ts";
import { resealSlice } from "../secrets/reseal.ts";
import { purgeCounts } from "../statistics/push.ts";
import { recordCronRuns } from "./cron-runs.ts";
import { wakeSlice } from "./wake.ts";

const MAX_REMOVED = 20;
const MAX_PUSHED_ACCOUNTS = 20;
const MAX_PUSHED_RECORDS = 200;

type Task = (env: Env, now: number) => Promise<unknown>;

/** One cron event per group, so that a slow task delays no others. The platform merges equal expressions, so they must differ. */
const TASKS_OF_CRON: Readonly<Record<string, readonly Task[]>> = {
  "* * * * *": [
    keepAllBridges,
    (env, now) => finishRemovals(env, now, MAX_REMOVED),
    (env, now) => removeDueAccounts(env, now, MAX_REMOVED),
    (env, now) => resumeAccountRemovals(env, now, MAX_REMOVED),
    rehomeSome,
  ],
  "1-59/2 * * * *": [
    (env, now) => pushPendingEndpoints(env, now, MAX_PUSHED_ACCOUNTS),
    (env, now) => pushChangedAccounts(env, now, MAX_PUSHED_ACCOUNTS),
    (env, now) => pushPendingToObjects(env, now, MAX_PUSHED_RECORDS),
  ],
  "*/3 * * * *": [
    (env, now) => purgeMedia(env.MEDIA, now),
    (env, now) => purgeIdentityRows(env.DB, now),
    (env, now) => purgeCounts(env.DB, now),
    resealSlice,
    (env, now) => retireSigningKeys(env, now),
  ],
  "*/2 * * * *": [wakeSlice],
};

export const CRONS: readonly string[] = Object.keys(TASKS_OF_CRON);

/** An unknown event runs all tasks. Failures are thrown at the end, so that the platform shows them. `now` is in Unix ms. */
export async function runWatchdog(env: Env, now: number, cron: string | null = null): Promise<void> {
  const crons = cron !== null && CRONS.includes(cron) ? [cron] : CRONS;
  const rounds = await Promise.allSettled(crons.flatMap((each) => TASKS_OF_CRON[each] ?? []).map((task) => task(env, now)));
  const failures = rounds.flatMap((round) => (round.status === "rejected" ? [round.reason as unknown] : []));
  await recordCronRuns(env.DB, crons, now, failures.length === 0).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, "tasks of the watchdog failed");
}
