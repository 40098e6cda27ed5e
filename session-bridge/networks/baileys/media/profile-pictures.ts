// Profile pictures of people, groups and channels, copied into our media storage: the network's own URLs are never handed out.
import { createHash } from "node:crypto";
import { DEFAULT_ORIGIN, getUrlFromDirectPath, type WASocket } from "baileys";
import { fetch } from "undici";
import { fail, type Outcome } from "../../../../src/protocol/failures.ts";
import type { StoredMedia } from "../../../../src/protocol/message.ts";
import type { StoredPicture, PictureSize } from "../../../../src/protocol/people.ts";
import { boundedCache } from "../session/bounded-cache.ts";
import { networkCode } from "../session/network-failures.ts";
import { readImage } from "./image-size.ts";
import { perSession } from "../session/per-session.ts";
import type { SessionContext } from "../session/session-context.ts";
import { QUERY_TIMEOUT_MS } from "../socket/socket-config.ts";
import { DAY_MS } from "../../../../src/protocol/units.ts";

/** Links to copies are valid for days; within this time an unchanged picture is not copied again. */
const COPY_REUSE_MS = DAY_MS;
const MAX_BYTES = 5 * 1024 * 1024;
const DOWNLOAD_TIMEOUT_MS = 20_000;
const MIMETYPE = "image/jpeg";

/** 401 and 403: hidden from us; 404: there is none. */
const NO_PICTURE = new Set<number | null>([401, 403, 404]);

/** By the URL path on the network's host: a new picture has a new one. */
const copiesOf = perSession(() => boundedCache<string, StoredPicture>(2_000));

/** Of a person or a group. Fails `picture_not_found`; throws the network's other refusals. */
export async function pictureOf(ctx: SessionContext, jid: string, size: PictureSize): Promise<Outcome<StoredPicture>> {
  const url = await pictureUrl(ctx.sock, jid, size);
  return url === null ? NOT_FOUND : storeCopy(ctx, url);
}

/** Of a channel, whose description names its picture. */
export function channelPictureOf(
  ctx: SessionContext,
  { url, directPath }: { url: string | null; directPath: string | null },
): Promise<Outcome<StoredPicture>> {
  const link = url ?? (directPath === null ? null : getUrlFromDirectPath(directPath));
  return link === null ? Promise.resolve(NOT_FOUND) : storeCopy(ctx, link);
}

async function pictureUrl(sock: WASocket, jid: string, size: PictureSize): Promise<string | null> {
  try {
    // Only with an explicit timeout does the library tell a missing answer from "no picture".
    return (await sock.profilePictureUrl(jid, size === "full" ? "image" : "preview", QUERY_TIMEOUT_MS)) ?? null;
  } catch (error) {
    if (NO_PICTURE.has(networkCode(error))) return null;
    throw error;
  }
}

async function storeCopy(ctx: SessionContext, url: string): Promise<Outcome<StoredPicture>> {
  const copies = copiesOf(ctx.session);
  const path = URL.parse(url)?.pathname ?? url;
  const known = copies.get(path);
  if (known !== undefined && ctx.now() - known.stored_at < COPY_REUSE_MS) return { ok: true, value: known };
  const bytes = await download(ctx, url);
  if (bytes === null) return fail("network_error");
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const stored = await ctx.media.upload(bytes, { mimetype: MIMETYPE, filename: null, sha256, size: bytes.length });
  if (!stored.ok) return stored;
  const picture = { media: await mediaOf(bytes, stored.value.token, sha256), stored_at: ctx.now() };
  copies.set(path, picture);
  return { ok: true, value: picture };
}

/** Null when the download failed, or is larger than any profile picture. */
async function download({ proxies: { dispatcher } }: SessionContext, url: string): Promise<Buffer | null> {
  try {
    const signal = AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS);
    const response = await fetch(url, { signal, headers: { origin: DEFAULT_ORIGIN }, ...(dispatcher && { dispatcher }) });
    if (!response.ok || !response.body) {
      await response.body?.cancel();
      return null;
    }
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > MAX_BYTES) return null;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch {
    return null;
  }
}

async function mediaOf(bytes: Buffer, token: string, sha256: string): Promise<StoredMedia> {
  const image = await readImage(bytes);
  return {
    token,
    mimetype: MIMETYPE,
    filename: null,
    size: bytes.length,
    sha256,
    duration_seconds: null,
    width: image?.width ?? null,
    height: image?.height ?? null,
  };
}

const NOT_FOUND = fail("picture_not_found");
