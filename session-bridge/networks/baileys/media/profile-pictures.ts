import { createHash } from "node:crypto";
import type { WASocket } from "baileys";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import type { StoredMedia } from "@gateway/protocol/message.ts";
import type { StoredPicture, PictureSize } from "@gateway/protocol/people.ts";
import type { ChannelPicture } from "../queries/channel-reads.ts";
import { boundedCache, perSession } from "../session/per-session.ts";
import { fileUrl } from "../session/media-hosts.ts";
import { networkCode } from "../session/network-failures.ts";
import { fetchFromNetwork, LEAST_PROGRESS, type FileAddress } from "./fetch-file.ts";
import { readImage } from "./image-size.ts";
import type { SessionContext } from "../session/session-context.ts";
import { QUERY_TIMEOUT_MS } from "../socket/socket-config.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";

/** Links to copies stay valid for days, so an unchanged picture is not copied again within this time. */
const COPY_REUSE_MS = DAY_MS;
const LIMITS = { maxBytes: 5 * 1024 * 1024, timeoutMs: 20_000, progress: LEAST_PROGRESS };
const MIMETYPE = "image/jpeg";

const NO_PICTURE = new Set<number | null>([401, 403, 404]);

/** Copies in our media storage, so that the network's URLs are never handed out. Keyed by URL path. */
const copiesOf = perSession(() => boundedCache<string, StoredPicture>(2_000));

export async function pictureOf(ctx: SessionContext, jid: string, size: PictureSize): Promise<Outcome<StoredPicture>> {
  const url = await pictureUrl(ctx.sock, jid, size);
  return url === null ? NOT_FOUND : storeCopy(ctx, { url });
}

export function channelPictureOf(ctx: SessionContext, picture: ChannelPicture): Promise<Outcome<StoredPicture>> {
  return storeCopy(ctx, picture);
}

async function pictureUrl(sock: WASocket, jid: string, size: PictureSize): Promise<string | null> {
  try {
    // The library can tell a missing response from "no picture" only if it is given a timeout.
    return (await sock.profilePictureUrl(jid, size === "full" ? "image" : "preview", QUERY_TIMEOUT_MS)) ?? null;
  } catch (error) {
    if (NO_PICTURE.has(networkCode(error))) return null;
    throw error;
  }
}

async function storeCopy(ctx: SessionContext, address: FileAddress): Promise<Outcome<StoredPicture>> {
  const copies = copiesOf(ctx.session);
  const path = fileUrl(ctx.mediaHosts, address)?.pathname;
  if (path === undefined) return fail("network_error");
  const known = copies.get(path);
  if (known !== undefined && ctx.now() - known.stored_at < COPY_REUSE_MS) return { ok: true, value: known };
  const bytes = await download(ctx, address);
  if (bytes === null) return fail("network_error");
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const stored = await ctx.media.upload(bytes, { mimetype: MIMETYPE, filename: null, sha256, size: bytes.length });
  if (!stored.ok) return stored;
  const picture = { media: await mediaOf(bytes, stored.value.token, sha256), stored_at: ctx.now() };
  copies.set(path, picture);
  return { ok: true, value: picture };
}

async function download(ctx: SessionContext, address: FileAddress): Promise<Buffer | null> {
  let chunks: Buffer[] = [];
  const fetched = await fetchFromNetwork(ctx, address, LIMITS, () => {
    chunks = [];
    return (chunk) => void chunks.push(chunk);
  });
  return fetched === "done" ? Buffer.concat(chunks) : null;
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
