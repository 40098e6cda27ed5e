// Deletes the files of a removed connection, however many there are, in slices that a crash may end anywhere.
import { mediaPrefixOf } from "@gateway/domain/media/media-link.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";

/** Files are kept for at most 30 days; a purge that fell behind may have left some of the last week. */
const DAYS_AHEAD = 31;
const DAYS_BACK = 8;
/** What R2 lists and deletes in one request. */
const SLICE_FILES = 1_000;

/** Returns how many there were. Throws when R2 fails: what is left is found again by the next call. `now` in Unix ms. */
export async function removeMediaOf(bucket: R2Bucket, connection: string, now: number, sliceFiles = SLICE_FILES): Promise<number> {
  let deleted = 0;
  for (let day = -DAYS_BACK; day <= DAYS_AHEAD; day += 1) {
    const prefix = mediaPrefixOf(connection, now + day * DAY_MS);
    for (let more = true; more;) {
      // From the beginning each time: what was listed before is gone.
      const { objects, truncated } = await bucket.list({ prefix, limit: sliceFiles });
      if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key));
      deleted += objects.length;
      more = truncated;
    }
  }
  return deleted;
}
