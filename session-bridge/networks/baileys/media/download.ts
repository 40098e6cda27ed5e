// Downloads and decrypts a file. The library's download does not forward stream errors, so a broken connection would crash the process.
import { createDecipheriv, createHash } from "node:crypto";
import { getMediaKeys } from "baileys";
import { MAX_MEDIA_BYTES } from "@gateway/protocol/internal-http.ts";
import type { MediaPart } from "../content/media-part.ts";
import { numberOf } from "../content/unwrap.ts";
import { fetchFromNetwork, type FetchContext, type FetchLimits } from "./fetch-file.ts";
import { Spool } from "./spool.ts";

/** `gone` means that the host deleted the file, but the phone can upload it again. `failed` is any other failure, including corruption. */
export type Downloaded = { ok: true; spool: Spool; sha256: string } | { ok: false; why: "gone" | "failed" };

export type DownloadOptions = Omit<FetchLimits, "maxBytes"> & {
  /** True for channel files, which are not encrypted. Others need a key and a hash, or the URL could point to any file on that host. */
  plain: boolean;
};

/** The truncated MAC after the ciphertext is not checked, because the plaintext's hash is stronger. */
const MAC_BYTES = 10;
const MAX_PADDING_BYTES = 16;
const HASH_BYTES = 32;

export async function downloadMedia(
  ctx: FetchContext,
  { family, node }: MediaPart,
  { plain, ...limits }: DownloadOptions,
): Promise<Downloaded> {
  const hasKey = node.mediaKey?.length === HASH_BYTES;
  if (!plain && !(hasKey && node.fileSha256?.length === HASH_BYTES)) return { ok: false, why: "failed" };
  const keys = hasKey ? await getMediaKeys(node.mediaKey, family) : null;
  let [spool, hash] = [new Spool("in"), createHash("sha256")];
  let sink: Sink = { write: () => Promise.resolve(), end: () => Promise.resolve() };
  const begin = async (): Promise<Sink["write"]> => {
    await spool.discard();
    [spool, hash] = [new Spool("in"), createHash("sha256")];
    const write = async (bytes: Buffer): Promise<void> => {
      hash.update(bytes);
      await spool.write(bytes);
    };
    sink = keys === null ? { write, end: () => Promise.resolve() } : decipher(keys, write);
    return sink.write;
  };
  const size = Math.min(numberOf(node.fileLength) || MAX_MEDIA_BYTES, MAX_MEDIA_BYTES);
  const maxBytes = size + MAX_PADDING_BYTES + MAC_BYTES;
  const fetched = await fetchFromNetwork(ctx, node, { ...limits, maxBytes }, begin);
  const whole =
    fetched === "done" &&
    (await sink.end().then(
      () => true,
      () => false,
    ));
  const sha256 = hash.digest("hex");
  const promised = node.fileSha256?.length ? Buffer.from(node.fileSha256).toString("hex") : sha256;
  if (whole && promised === sha256) return { ok: true, spool, sha256 };
  await spool.discard();
  return { ok: false, why: fetched === "gone" ? "gone" : "failed" };
}

type Keys = Awaited<ReturnType<typeof getMediaKeys>>;
type Sink = { write: (chunk: Buffer) => Promise<void>; end: () => Promise<void> };

/** `end` rejects if the padding is invalid. */
function decipher({ cipherKey, iv }: Keys, write: (plain: Buffer) => Promise<void>): Sink {
  const aes = createDecipheriv("aes-256-cbc", cipherKey, iv);
  let tail: Buffer = Buffer.alloc(0);
  return {
    async write(chunk) {
      const bytes = tail.length > 0 ? Buffer.concat([tail, chunk]) : chunk;
      const body = bytes.subarray(0, Math.max(0, bytes.length - MAC_BYTES));
      tail = Buffer.from(bytes.subarray(body.length));
      if (body.length > 0) await write(aes.update(body));
    },
    end: async () => write(aes.final()),
  };
}
