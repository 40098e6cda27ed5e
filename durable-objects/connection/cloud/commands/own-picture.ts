// The profile picture of the number, copied into our storage, because Meta's URLs are not for customers.
import { sniffMediaType } from "@gateway/domain/media/sniff.ts";
import { mediaKey } from "@gateway/domain/media/media-link.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { StoredPicture } from "@gateway/protocol/people.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import { storeUnmeasured } from "#root/src/services/media/store.ts";
import type { Graph } from "../graph.ts";

export type OwnPictureDependencies = {
  bucket: R2Bucket;
  graph: Pick<Graph, "bytes">;
  connection: () => { uuid: string; retentionMs: number } | null;
  clock?: () => number;
};

/** An unchanged picture is not copied again within this time, because links to copies are valid for days. */
const REUSE_MS = DAY_MS;
const MAX_BYTES = 5 * 1024 * 1024;
const TIMEOUT_MS = 15_000;

export class OwnPicture {
  readonly #deps: OwnPictureDependencies;
  readonly #clock: () => number;
  /** `path`: the URL without its signature, which identifies the picture. */
  #copied: { path: string; picture: StoredPicture } | null = null;

  constructor(deps: OwnPictureDependencies) {
    this.#deps = deps;
    this.#clock = deps.clock ?? (() => Date.now());
  }

  /** Fails with `network_error` when the picture cannot be fetched, or with `unavailable` when it cannot be stored. */
  async copy(url: string): Promise<Outcome<StoredPicture>> {
    const path = URL.parse(url)?.pathname;
    if (path === undefined) return fail("network_error");
    const known = this.#copied;
    if (known?.path === path && this.#clock() - known.picture.stored_at < REUSE_MS) return succeed(known.picture);
    const picture = await this.#store(url);
    if (picture.ok) this.#copied = { path, picture: picture.value };
    return picture;
  }

  async #store(url: string): Promise<Outcome<StoredPicture>> {
    const { bucket, connection, graph } = this.#deps;
    const fetched = await graph.bytes(url, TIMEOUT_MS);
    const body = fetched.kind === "answered" ? fetched.response.body : null;
    const owner = connection();
    if (body === null || owner === null) {
      await body?.cancel().catch(() => undefined);
      return fail("network_error");
    }
    const now = this.#clock();
    const typeOf = (head: Uint8Array): Outcome<string> => {
      const type = sniffMediaType(head);
      return type?.startsWith("image/") === true ? succeed(type) : fail("network_error");
    };
    const media = { connection: owner.uuid, filename: null, expiresAt: now + owner.retentionMs, typeOf, maxBytes: MAX_BYTES };
    const tooLarge = { code: "network_error" } as const;
    const stored = await storeUnmeasured(bucket, { ...media, tooLarge }, body, AbortSignal.timeout(TIMEOUT_MS));
    if (!stored.ok) return stored.failure.code === "unavailable" ? stored : fail("network_error");
    const { token, mimetype, sizeBytes: size } = stored.value;
    // Deletes the file if the connection was removed meanwhile, because the removal may have listed the files before this one was stored.
    if (connection() === null) await bucket.delete(mediaKey(token)).catch(() => undefined);
    const file = { token, mimetype, filename: null, size, sha256: null, duration_seconds: null, width: null, height: null };
    return succeed({ media: file, stored_at: now });
  }
}
