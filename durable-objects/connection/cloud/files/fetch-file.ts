// Fetches one file from Meta into R2 and checks its digest. Graph's URL is valid for five minutes.
import * as z from "zod";
import { type CloudFile, hexOf } from "@gateway/domain/cloud/view.ts";
import { mediaKey } from "@gateway/domain/media/media-link.ts";
import { MAX_MEDIA_BYTES } from "@gateway/protocol/internal-http.ts";
import type { StoredMedia } from "@gateway/protocol/message.ts";
import { storeMedia } from "#root/src/services/media/store.ts";
import type { Graph, GraphError } from "../graph.ts";

/** `gone` means that Graph does not know the file, and `corrupt` that the digest differs. After `failed`, the fetch can be retried. */
export type FetchResult = StoredMedia | "gone" | "too_large" | "corrupt" | "failed";

export type FetchDependencies = {
  bucket: R2Bucket;
  graph: Pick<Graph, "call" | "bytes">;
  phoneNumberId: () => string | null;
  connection: () => { uuid: string; retentionMs: number } | null;
  refused: (error: GraphError) => void;
};

const NAME_MS = 20_000;

const GONE: ReadonlySet<number> = new Set([100, 803]);
const EXPIRED: ReadonlySet<number> = new Set([401, 403, 404]);

const FileResponse = z.looseObject({
  url: z.url(),
  sha256: z.string().nullish(),
  file_size: z.coerce.number().int().nonnegative(),
});
type FileResponse = z.infer<typeof FileResponse>;

export async function fetchFile(deps: FetchDependencies, file: CloudFile, deadlineAt: number): Promise<FetchResult> {
  const left = () => Math.max(1, deadlineAt - Date.now());
  for (let isNew = false; ; isNew = true) {
    const named = await nameOf(deps, file, Math.min(NAME_MS, left()));
    if (typeof named === "string") return named;
    if (named.file_size > MAX_MEDIA_BYTES) return "too_large";
    const found = await deps.graph.bytes(named.url, left());
    if (found.kind === "answered") return store(deps, file, named, found.response);
    if (isNew || found.kind === "lost" || !EXPIRED.has(found.status)) return "failed";
  }
}

async function nameOf({ graph, phoneNumberId, refused }: FetchDependencies, { mediaId }: CloudFile, timeoutMs: number) {
  const number = phoneNumberId();
  if (number === null) return "failed";
  const path = `/${encodeURIComponent(mediaId)}`;
  const reply = await graph.call({ method: "GET", path, query: { phone_number_id: number }, timeoutMs });
  if (reply.kind === "refused") refused(reply.error);
  if (reply.kind !== "answered") return reply.kind === "refused" && GONE.has(reply.error.code) ? "gone" : "failed";
  const named = FileResponse.safeParse(reply.json);
  return named.success ? named.data : "failed";
}

async function store(deps: FetchDependencies, file: CloudFile, named: FileResponse, { body }: Response): Promise<FetchResult> {
  const connection = deps.connection();
  if (body === null || connection === null) {
    await body?.cancel().catch(() => undefined);
    return "failed";
  }
  const { mimetype, filename } = file;
  const { file_size: sizeBytes } = named;
  const { bytes, digest } = digested(body);
  const media = { connection: connection.uuid, mimetype, filename, sizeBytes, expiresAt: Date.now() + connection.retentionMs };
  const token = await storeMedia(deps.bucket, media, bytes);
  const sha256 = await digest;
  if (token === null || sha256 === null) return "failed";
  const promised = hexOf(named.sha256 ?? null) ?? file.sha256;
  const isRemoved = deps.connection() === null;
  if (!isRemoved && (promised === null || promised === sha256)) {
    return { token, mimetype, filename, size: sizeBytes, sha256, duration_seconds: null, width: null, height: null };
  }
  // The connection may have been removed during the fetch, after its removal listed the files.
  await deps.bucket.delete(mediaKey(token)).catch(() => undefined);
  return isRemoved ? "failed" : "corrupt";
}

/** Passes the bytes through and computes their digest in hex. Null if the stream breaks. */
function digested(body: ReadableStream<Uint8Array>): { bytes: ReadableStream<Uint8Array>; digest: Promise<string | null> } {
  const stream = new crypto.DigestStream("SHA-256");
  const writer = stream.getWriter();
  const digest = stream.digest.then(
    (hash) => Buffer.from(hash).toString("hex"),
    () => null,
  );
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
    async transform(chunk, controller) {
      await writer.write(chunk);
      controller.enqueue(chunk);
    },
    flush: () => writer.close(),
  });
  const broken = () => writer.abort().catch(() => undefined);
  void body.pipeTo(writable).catch(broken);
  return { bytes: readable, digest };
}
