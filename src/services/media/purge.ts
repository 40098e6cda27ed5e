import { mediaDayPrefix } from "../../domain/media/media-link.ts";
import { DAY_MS } from "../../protocol/units.ts";

/** How many days back a purge looks, to catch up on missed runs. */
const DAYS_BACK = 7;
const MAX_PER_RUN = 1_000;

/** Deletes files whose last day is over, found by the key prefix of that day. Returns how many. */
export async function purgeMedia(bucket: R2Bucket, now: number): Promise<number> {
  let deleted = 0;
  for (let back = 1; back <= DAYS_BACK && deleted < MAX_PER_RUN; back += 1) {
    const { objects } = await bucket.list({ prefix: mediaDayPrefix(now - back * DAY_MS), limit: MAX_PER_RUN - deleted });
    if (objects.length > 0) await bucket.delete(objects.map((object) => object.key));
    deleted += objects.length;
  }
  return deleted;
}
