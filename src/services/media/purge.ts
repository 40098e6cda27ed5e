// Deletes files whose last day is over (docs/internals/scheduling.md, "Media expiry"). The bucket's lifecycle rule takes what nobody deleted.
import { mediaDayParts, mediaDayPrefix, MEDIA_PREFIX } from "@gateway/domain/media/media-link.ts";
import { mapInBatches } from "../batches.ts";

/** What is used of R2's bucket. */
export type MediaBucket = {
  list(options: {
    prefix: string;
    delimiter?: string;
    limit?: number;
  }): Promise<{ objects: { key: string }[]; delimitedPrefixes: string[]; truncated: boolean }>;
  delete(keys: string[]): Promise<void>;
};

/** What R2 lists and deletes in one request. */
const BATCH_FILES = 1_000;
/** Requests at a time: the platform lets no more of an invocation wait. */
const CONCURRENCY = 6;
/** A run begins nothing after this time, so that it ends before the next minute's. */
const RUN_MS = 40_000;
/** Each is two requests, of the 1,000 that a run may make with all else that the watchdog does. */
const MAX_BATCHES = 300;

/** Everything that is over, the oldest day first, as far as one run gets. Returns how many files. `now` in Unix ms. */
export async function purgeMedia(bucket: MediaBucket, now: number, clock: () => number = Date.now): Promise<number> {
  const run = { until: clock() + RUN_MS, batches: MAX_BATCHES };
  const hasTime = () => run.batches > 0 && clock() < run.until;
  let deleted = 0;
  const clear = async (prefix: string): Promise<void> => {
    for (let more = true; more && hasTime();) {
      run.batches -= 1;
      // From the beginning each time: what was listed before is gone.
      const { objects, truncated } = await bucket.list({ prefix, limit: BATCH_FILES });
      if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key));
      deleted += objects.length;
      more = truncated;
    }
  };
  // Of today and the days before: there are few, as files are kept for a month at most.
  const { delimitedPrefixes: days } = await bucket.list({ prefix: MEDIA_PREFIX, delimiter: "/" });
  for (const day of days.filter((prefix) => prefix < mediaDayPrefix(now)).toSorted((one, other) => (one < other ? -1 : 1))) {
    await mapInBatches(mediaDayParts(day), CONCURRENCY, clear);
    await clear(day);
    if (!hasTime()) break;
  }
  return deleted;
}
