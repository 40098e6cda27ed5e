// Deletes files after their last day (docs/internals/scheduling.md, "Media expiry"). The bucket's lifecycle rule removes leftovers.
import { mediaDayParts, mediaDayPrefix, MEDIA_PREFIX, mediaPrefixOf } from "@gateway/domain/media/media-link.ts";
import { mapInBatches } from "../batches.ts";

export type MediaBucket = {
  list(options: {
    prefix: string;
    delimiter?: string;
    limit?: number;
  }): Promise<{ objects: { key: string }[]; delimitedPrefixes: string[]; truncated: boolean }>;
  delete(keys: string[]): Promise<void>;
};

/** Maximum number of files that R2 lists and deletes per request. */
const BATCH_FILES = 1_000;
const CONCURRENCY = 6;
/** A run must end before the next one starts a minute later. */
const RUN_MS = 40_000;
/** Each batch takes two requests. A run may make 1,000, some of which the rest of the watchdog needs. */
const MAX_BATCHES = 300;

/** Deletes as many files as one run can, oldest day first. Returns the number of files. `now` is in Unix ms. */
export async function purgeMedia(bucket: MediaBucket, now: number, clock: () => number = Date.now): Promise<number> {
  const run = { until: clock() + RUN_MS, batches: MAX_BATCHES };
  const hasTime = () => run.batches > 0 && clock() < run.until;
  let deleted = 0;
  const mayList = () => {
    if (!hasTime()) return false;
    run.batches -= 1;
    return true;
  };
  const clear = async (prefix: string): Promise<void> => {
    // This is a separate statement, because `deleted += await …` would lose counts when several prefixes are cleared concurrently.
    const files = await clearPrefix(bucket, prefix, BATCH_FILES, mayList);
    deleted += files;
  };
  const { delimitedPrefixes: days } = await bucket.list({ prefix: MEDIA_PREFIX, delimiter: "/" });
  for (const day of days.filter((prefix) => prefix < mediaDayPrefix(now)).toSorted((one, other) => (one < other ? -1 : 1))) {
    await mapInBatches(mediaDayParts(day), CONCURRENCY, clear);
    await clear(day);
    if (!hasTime()) break;
  }
  return deleted;
}

/** Returns the number of deleted files. If R2 fails, the next call continues. Includes future days, because of files of waiting sends. */
export async function removeMediaOf(bucket: MediaBucket, connection: string, sliceFiles = BATCH_FILES): Promise<number> {
  let deleted = 0;
  const { delimitedPrefixes: days } = await bucket.list({ prefix: MEDIA_PREFIX, delimiter: "/" });
  for (const day of days) deleted += await clearPrefix(bucket, mediaPrefixOf(connection, day), sliceFiles);
  return deleted;
}

/** Calls `mayList` before each listing. Returns the number of deleted files. */
async function clearPrefix(bucket: MediaBucket, prefix: string, limit: number, mayList = () => true): Promise<number> {
  let deleted = 0;
  for (let more = true; more && mayList();) {
    // Lists from the start each time, because the files listed before are gone.
    const { objects, truncated } = await bucket.list({ prefix, limit });
    if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key));
    deleted += objects.length;
    more = truncated;
  }
  return deleted;
}
