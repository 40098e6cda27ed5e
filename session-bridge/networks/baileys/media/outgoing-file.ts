import type { WAMediaUpload } from "baileys";
import type { MediaRef } from "@gateway/protocol/content.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import type { StoredMedia } from "@gateway/protocol/message.ts";
import { Semaphore } from "async-mutex";
import type { SessionContext } from "../session/session-context.ts";
import { readImage, type ImageInfo } from "./image-size.ts";
import { Spool } from "./spool.ts";
import { perSession } from "../session/per-session.ts";

/** An upload without progress for this long moves to the next host. Through a proxy, the library itself would wait forever. */
export const UPLOAD_IDLE_TIMEOUT_MS = 15_000;

export class OutgoingFile {
  readonly spool: Spool;
  readonly image: ImageInfo | null;

  private constructor(spool: Spool, image: ImageInfo | null) {
    this.spool = spool;
    this.image = image;
  }

  static async of(spool: Spool): Promise<OutgoingFile> {
    return new OutgoingFile(spool, await readImage(spool.bytes ?? (await spool.path())));
  }

  /** The source for the library's upload. Throws if the encrypted copy exceeds the quota. The caller must then discard the spool. */
  async upload(): Promise<WAMediaUpload> {
    this.spool.countCopy();
    return this.spool.bytes ?? { url: await this.spool.path() };
  }
}

/** Fails with `media_expired`, `media_too_large` or `unavailable`. The caller must discard the spool. */
export async function fetchFile(ctx: Pick<SessionContext, "media" | "metrics">, ref: MediaRef): Promise<Outcome<OutgoingFile>> {
  const fetched = await spooled(ctx, ref);
  ctx.metrics.fileFetched("out", fetched.ok ? "fetched" : fetched.failure.code, fetched.ok ? fetched.value.spool.size : 0);
  return fetched;
}

async function spooled(ctx: Pick<SessionContext, "media">, { token }: MediaRef): Promise<Outcome<OutgoingFile>> {
  const opened = await ctx.media.open(token);
  if (!opened.ok) return opened;
  const spool = new Spool("out");
  try {
    for await (const chunk of opened.value.stream as AsyncIterable<Buffer>) await spool.write(chunk);
    return { ok: true, value: await OutgoingFile.of(spool) };
  } catch {
    await spool.discard();
    return fail("unavailable");
  }
}

export function storedMediaOf({ token, mimetype, filename, size }: MediaRef, image: ImageInfo | null): StoredMedia {
  return {
    token,
    mimetype,
    filename,
    size,
    sha256: null,
    duration_seconds: null,
    width: image?.width ?? null,
    height: image?.height ?? null,
  };
}

// Limits the outgoing files per session, so that sessions take turns using the disk and the converter.
const FILES = 4;
const CONVERSIONS = 1;

class Slots {
  readonly #slots: Semaphore;

  constructor(atOnce: number) {
    this.#slots = new Semaphore(atOnce);
  }

  /** Fails with `unavailable` if the caller has stopped waiting by the time a slot is free. */
  run<T>(work: () => Promise<Outcome<T>>, isWanted = (): boolean => true): Promise<Outcome<T>> {
    return this.#slots.runExclusive(async () => (isWanted() ? work() : fail("unavailable")));
  }
}

export const outgoingFilesOf = perSession(() => new Slots(FILES));
export const conversionsOf = perSession(() => new Slots(CONVERSIONS));
