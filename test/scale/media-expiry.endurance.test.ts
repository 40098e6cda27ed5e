// Files expire at any scale: 10 a day on 10⁶ connections, even after the watchdog was down for eight days.
import { expect, it } from "vitest";
import { makeMediaToken, MEDIA_PREFIX, mediaDayParts, mediaDayPrefix, mediaKey } from "@gateway/domain/media/media-link.ts";
import { DAY_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { type MediaBucket, purgeMedia } from "../../src/services/media/purge.ts";
import { report } from "./support/rates.ts";
import { START } from "./support/virtual-time.ts";

const FILES_A_DAY = 10_000_000;
/** Time for R2 to list or delete 1,000 files, six requests at a time; a pessimistic value. */
const REQUEST_MS = 500 / 6;

/** A bucket that only counts the files in each sixteenth of a day, but lists real keys. */
class CountedBucket implements MediaBucket {
  readonly parts = new Map<string, { keys: string[]; files: number }>();
  requests = 0;
  now = START;

  /** Adds files that expire on this day; one in ten has a key without a connection hash. */
  fill(day: number, files: number): void {
    const prefix = mediaDayPrefix(day);
    for (const [index, part] of mediaDayParts(prefix).entries()) {
      const token = makeMediaToken(new Uint8Array(16), `connection ${index}`, day);
      const keys = Array.from({ length: 1000 }, (_, no) => {
        const random = no.toString(16).padStart(32, "0");
        const rest = no % 10 === 0 ? random : token.slice(4, 20) + random;
        return part + rest.slice(1);
      });
      this.parts.set(part, { keys, files: files / 16 });
    }
  }

  async list({ prefix, delimiter, limit = 1000 }: Parameters<MediaBucket["list"]>[0]) {
    this.#passes();
    if (delimiter !== undefined) {
      const days = [...this.parts].flatMap(([part, { files }]) => (files > 0 ? [part.slice(0, MEDIA_PREFIX.length + 5)] : []));
      return { objects: [], delimitedPrefixes: [...new Set(days)].toReversed(), truncated: false };
    }
    const found = [...this.parts].filter(([part, { files }]) => files > 0 && part.startsWith(prefix));
    const [first] = found;
    const objects = (first?.[1].keys.slice(0, Math.min(limit, first[1].files)) ?? []).map((key) => ({ key }));
    const left = found.reduce((sum, [, { files }]) => sum + files, 0) - objects.length;
    return { objects, delimitedPrefixes: [], truncated: left > 0 };
  }

  async delete(keys: string[]): Promise<void> {
    this.#passes();
    expect(keys.length).toBeLessThanOrEqual(1000);
    const part = this.parts.get((keys[0] ?? "").slice(0, MEDIA_PREFIX.length + 10));
    if (part === undefined) throw new Error(`${keys[0]} is no key`);
    part.files -= keys.length;
  }

  /** The day (Unix ms) of the oldest file. */
  get oldest(): number {
    const prefixes = [...this.parts].flatMap(([part, { files }]) => (files > 0 ? [part] : []));
    const day = prefixes.toSorted()[0]?.slice(MEDIA_PREFIX.length, MEDIA_PREFIX.length + 4) ?? "zzzz";
    return Number.parseInt(day, 36) * DAY_MS;
  }

  #passes(): void {
    this.requests += 1;
    this.now += REQUEST_MS;
  }
}

it("the purge keeps up with 10⁷ files a day and clears a backlog of eight days within a day", async () => {
  const bucket = new CountedBucket();
  for (let day = -8; day <= 2; day++) bucket.fill(START + day * DAY_MS, FILES_A_DAY);
  let [most, longest, deleted, caughtUp] = [0, 0, 0, 0];
  const behindAgain: string[] = [];
  for (let run = START; run < START + 2 * DAY_MS; run += 3 * MINUTE_MS) {
    [bucket.now, bucket.requests] = [run, 0];
    deleted += await purgeMedia(bucket, run, () => bucket.now);
    most = Math.max(most, bucket.requests);
    longest = Math.max(longest, bucket.now - run);
    const isBehind = bucket.oldest + 2 * DAY_MS < run;
    if (caughtUp === 0 && !isBehind) caughtUp = run - START;
    if (caughtUp > 0 && isBehind) behindAgain.push(new Date(run).toISOString());
  }
  report("media expiry, 10^7 files a day after 8 days' pause", {
    "hours until nothing is older than its day + 2": caughtUp / 3_600_000,
    "requests a run": most,
    "seconds a run": longest / 1000,
    files: deleted,
  });
  expect(behindAgain).toEqual([]);
  expect(caughtUp).toBeGreaterThan(0);
  expect(caughtUp).toBeLessThanOrEqual(DAY_MS);
  expect(most).toBeLessThanOrEqual(700);
  expect(longest).toBeLessThan(MINUTE_MS);
  // No file of the current day is deleted.
  expect(deleted).toBe(9 * FILES_A_DAY);
  expect(bucket.oldest).toBe(START + DAY_MS);
});

it("the purge makes one request per run while no file has expired", async () => {
  const bucket = new CountedBucket();
  bucket.fill(START, 160);
  expect(await purgeMedia(bucket, START + DAY_MS - 1, () => bucket.now)).toBe(0);
  expect(bucket.requests).toBe(1);
});

it("the day's 16 prefixes cover keys with and without a connection hash", () => {
  const token = makeMediaToken(crypto.getRandomValues(new Uint8Array(16)), "a connection", START);
  const earlier = token.slice(0, 4) + token.slice(20);
  const parts = mediaDayParts(mediaDayPrefix(START));
  expect(new Set(parts).size).toBe(16);
  for (const key of [token, earlier].map(mediaKey)) expect(parts.filter((part) => key.startsWith(part))).toHaveLength(1);
});
