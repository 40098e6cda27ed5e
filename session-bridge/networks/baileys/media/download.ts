// Downloads a file from the network's media host and decrypts it. The library's own download pipes streams without forwarding errors, so a
// connection that breaks half-way would end the process.
import { createDecipheriv, createHash } from "node:crypto";
import { DEF_MEDIA_HOST, DEFAULT_ORIGIN, getMediaKeys, getUrlFromDirectPath } from "baileys";
import { fetch, type Dispatcher } from "undici";
import { MAX_MEDIA_BYTES } from "../../../../src/protocol/internal-http.ts";
import type { MediaPart } from "../content/media-part.ts";
import { Spool } from "./spool.ts";

/** `gone`: the host no longer has it (404, 410), but the phone can upload it again. `failed`: anything else, corruption included. */
export type Downloaded = { ok: true; spool: Spool; sha256: string } | { ok: false; why: "gone" | "failed" };

/**
 * The ciphertext ends with a truncated MAC, which is not checked: the hash of the plaintext, which came end-to-end encrypted, is stronger.
 */
const MAC_BYTES = 10;

export type DownloadOptions = { dispatcher: Dispatcher | undefined; signal: AbortSignal };

export async function downloadMedia(part: MediaPart, { dispatcher, signal }: DownloadOptions): Promise<Downloaded> {
  const url = urlOf(part);
  if (url === null) return { ok: false, why: "failed" };
  const spool = new Spool();
  try {
    const response = await fetch(url, { signal, headers: { origin: DEFAULT_ORIGIN }, ...(dispatcher && { dispatcher }) });
    if (!response.ok || !response.body) {
      await response.body?.cancel();
      return { ok: false, why: response.status === 404 || response.status === 410 ? "gone" : "failed" };
    }
    const sha256 = await decryptInto(spool, response.body, part);
    if (sha256 !== null) return { ok: true, spool, sha256 };
  } catch {
    // Broken connection, refused connection, wrong padding: all the same to the caller.
  }
  await spool.discard();
  return { ok: false, why: "failed" };
}

function urlOf({ node }: MediaPart): string | null {
  if (!node.directPath) return node.url || null;
  return getUrlFromDirectPath(node.directPath, (node.url && URL.parse(node.url)?.host) || DEF_MEDIA_HOST);
}

/** The SHA-256 (hex) of the plaintext, or null when it is not the one in the message. */
async function decryptInto(spool: Spool, encrypted: AsyncIterable<Uint8Array>, { family, node }: MediaPart): Promise<string | null> {
  const hash = createHash("sha256");
  const write = async (plain: Buffer): Promise<void> => {
    if (spool.size + plain.length > MAX_MEDIA_BYTES) throw new RangeError("larger than what can be stored");
    hash.update(plain);
    await spool.write(plain);
  };
  if (node.mediaKey?.length) await decipher(encrypted, await getMediaKeys(node.mediaKey, family), write);
  // Channel files are not encrypted.
  else for await (const chunk of encrypted) await write(Buffer.from(chunk));
  const sha256 = hash.digest("hex");
  const promised = node.fileSha256?.length ? Buffer.from(node.fileSha256).toString("hex") : sha256;
  return promised === sha256 ? sha256 : null;
}

type Keys = Awaited<ReturnType<typeof getMediaKeys>>;

async function decipher(
  encrypted: AsyncIterable<Uint8Array>,
  { cipherKey, iv }: Keys,
  write: (plain: Buffer) => Promise<void>,
): Promise<void> {
  const aes = createDecipheriv("aes-256-cbc", cipherKey, iv);
  let tail: Buffer = Buffer.alloc(0);
  for await (const chunk of encrypted) {
    const bytes = tail.length > 0 ? Buffer.concat([tail, chunk]) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const body = bytes.subarray(0, Math.max(0, bytes.length - MAC_BYTES));
    tail = Buffer.from(bytes.subarray(body.length));
    if (body.length > 0) await write(aes.update(body));
  }
  await write(aes.final());
}
