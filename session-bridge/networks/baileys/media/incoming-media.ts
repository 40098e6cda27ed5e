// Files of incoming messages: downloaded, decrypted and stored with the worker before the message is emitted, for at most ten seconds; a
// slower file follows as `message.media` (docs/durability.md, "Inbound files").
import { Semaphore } from "async-mutex";
import { isJidNewsletter, type WAMessage } from "baileys";
import { fail, type Outcome } from "../../../../src/protocol/failures.ts";
import { MAX_MEDIA_BYTES } from "../../../../src/protocol/internal-http.ts";
import type { StoredMedia } from "../../../../src/protocol/message.ts";
import { errorFacts } from "../../../log.ts";
import { describeMedia, type MediaPart } from "../content/media-part.ts";
import { numberOf } from "../content/numbers.ts";
import { downloadMedia, type Downloaded } from "./download.ts";
import { LEAST_PROGRESS, type FetchLimits } from "./fetch-file.ts";
import { perSession } from "../session/per-session.ts";
import type { SessionContext } from "../session/session-context.ts";

export type MediaLimits = {
  /** After this long the message is emitted without its file. */
  releaseAfterMs: number;
  /** Timeout of the whole download. */
  downloadTimeoutMs: number;
  progress: FetchLimits["progress"];
  /** Timeout of the phone's upload of an expired file. */
  reuploadTimeoutMs: number;
  /** Delays between attempts to store the file. */
  retryDelaysMs: readonly number[];
  concurrency: number;
};

export const MEDIA_LIMITS: MediaLimits = {
  releaseAfterMs: 10_000,
  downloadTimeoutMs: 300_000,
  progress: LEAST_PROGRESS,
  reuploadTimeoutMs: 30_000,
  retryDelaysMs: [1_000, 5_000, 20_000],
  concurrency: 8,
};

export type IncomingFile = {
  /** The media at the time the message is emitted: stored, or described only. */
  ready: Promise<StoredMedia>;
  /** The file if it was stored later; null when there is nothing to add. */
  late: Promise<StoredMedia | null>;
};

export class IncomingMedia {
  readonly #limits: MediaLimits;
  readonly #slots: Semaphore;

  constructor(limits: MediaLimits = MEDIA_LIMITS) {
    this.#limits = limits;
    this.#slots = new Semaphore(limits.concurrency);
  }

  /** Starts at once. Neither promise rejects. */
  receive(ctx: SessionContext, message: WAMessage, part: MediaPart): IncomingFile {
    const described = describeMedia(part);
    const { promise: inTime, resolve } = Promise.withResolvers<StoredMedia | null>();
    const timeout = setTimeout(() => resolve(null), this.#limits.releaseAfterMs);
    const storing = this.#store(ctx, message, part, inTime).catch((error: unknown) => {
      ctx.logger.warn({ ...errorFacts(error), messageId: message.key.id }, "media.failed");
      return null;
    });
    const finish = async (): Promise<void> => {
      resolve((await storing) ?? described);
      clearTimeout(timeout);
    };
    void finish();
    return {
      ready: inTime.then((stored) => stored ?? described),
      late: inTime.then(async (stored) => (stored === null ? storing : null)),
    };
  }

  /** Downloads the file of an older message again. Fails `media_expired` when neither the network nor the phone has it any longer. */
  async refetch(ctx: SessionContext, message: WAMessage, part: MediaPart): Promise<Outcome<StoredMedia>> {
    const [, release] = await this.#slots.acquire();
    try {
      const file = await this.#download(ctx, message, part);
      if (!file.ok) return fail(file.why === "gone" ? "media_expired" : "network_error");
      const stored = await this.#upload(ctx, file, describeMedia(part)).finally(() => file.spool.discard());
      return stored === null ? fail("unavailable") : { ok: true, value: stored };
    } finally {
      release();
    }
  }

  // A file that exceeds its time frees its slot for the next one and continues.
  async #store(ctx: SessionContext, message: WAMessage, part: MediaPart, overdue: Promise<unknown>): Promise<StoredMedia | null> {
    if (numberOf(part.node.fileLength) > MAX_MEDIA_BYTES) return null;
    const [, release] = await this.#slots.acquire();
    void overdue.then(release);
    try {
      const file = await this.#download(ctx, message, part);
      if (!file.ok) return null;
      try {
        return await this.#upload(ctx, file, describeMedia(part));
      } finally {
        await file.spool.discard();
      }
    } finally {
      release();
    }
  }

  async #download(ctx: SessionContext, message: WAMessage, part: MediaPart): Promise<Downloaded> {
    const options = {
      plain: isJidNewsletter(message.key.remoteJid ?? "") === true,
      timeoutMs: this.#limits.downloadTimeoutMs,
      progress: this.#limits.progress,
    };
    const { url } = part.node;
    const first = await downloadMedia(ctx, part, options);
    if (first.ok || first.why !== "gone") return first;
    // The phone uploads it again; the library writes the new path into the message object. Requested once (docs/durability.md, "Inbound
    // files").
    const reuploaded = await within(this.#limits.reuploadTimeoutMs, ctx.sock.updateMediaMessage(message)).catch(() => null);
    // Only the path is new; the library does not know another host than the message did.
    return reuploaded === null ? first : downloadMedia(ctx, { ...part, node: { ...part.node, url: url ?? null } }, options);
  }

  async #upload(
    ctx: SessionContext,
    { spool, sha256 }: Extract<Downloaded, { ok: true }>,
    about: StoredMedia,
  ): Promise<StoredMedia | null> {
    const file = { mimetype: about.mimetype, filename: about.filename, sha256, size: spool.size, days: ctx.settings.media_retention_days };
    for (const waitMs of [0, ...this.#limits.retryDelaysMs]) {
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      const stored = await ctx.media.upload(spool.body(), file);
      if (stored.ok) return { ...about, token: stored.value.token, size: stored.value.size, sha256 };
      if (stored.failure.code !== "unavailable") return null;
    }
    return null;
  }
}

/** Rejects when `work` takes longer; `work` itself continues. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("took too long")), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

export const incomingMediaOf = perSession(() => new IncomingMedia());
