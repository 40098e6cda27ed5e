// Incoming files: fetched, decrypted and stored with the worker before the message is released, for at most ten seconds; what
// is slower follows as `message.media` (docs/durability.md, "Inbound files").
import { Semaphore } from "async-mutex";
import type { WAMessage } from "baileys";
import { fail, type Outcome } from "../../../../src/protocol/failures.ts";
import { MAX_MEDIA_BYTES } from "../../../../src/protocol/internal-http.ts";
import type { StoredMedia } from "../../../../src/protocol/message.ts";
import { errorFacts } from "../../../log.ts";
import { describeMedia, type MediaPart } from "../content/media-part.ts";
import { numberOf } from "../content/numbers.ts";
import { downloadMedia, type Downloaded } from "./download.ts";
import { perSession } from "../session/per-session.ts";
import type { SessionContext } from "../session/session-context.ts";

export type MediaLimits = {
  /** How long a message waits for its file. */
  releaseAfterMs: number;
  /** A file that is not here by then never will be. */
  downloadTimeoutMs: number;
  /** How long the phone has to upload a file again. */
  reuploadTimeoutMs: number;
  /** Waits before storing is tried again. */
  retryDelaysMs: readonly number[];
  concurrency: number;
};

export const MEDIA_LIMITS: MediaLimits = {
  releaseAfterMs: 10_000,
  downloadTimeoutMs: 300_000,
  reuploadTimeoutMs: 30_000,
  retryDelaysMs: [1_000, 5_000, 20_000],
  concurrency: 8,
};

export type IncomingFile = {
  /** The media as it is when the message must go: stored, or described only. */
  ready: Promise<StoredMedia>;
  /** What came after that; null when there is nothing to add. */
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
    const stop = async (): Promise<void> => {
      resolve((await storing) ?? described);
      clearTimeout(timeout);
    };
    void stop();
    return {
      ready: inTime.then((stored) => stored ?? described),
      late: inTime.then(async (stored) => (stored === null ? storing : null)),
    };
  }

  /** The file of a message that is long here, once more. Fails `media_expired` when neither the network nor the phone has it any longer. */
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

  // A file that has used up its time gives its place to the next one and goes on beside it.
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
    const options = { dispatcher: ctx.proxies.dispatcher, signal: AbortSignal.timeout(this.#limits.downloadTimeoutMs) };
    const { url } = part.node;
    const first = await downloadMedia(part, options);
    if (first.ok || first.why !== "gone") return first;
    // The phone uploads it again; the library writes the new path into the message object. Requested once (docs/durability.md, "Inbound
    // files").
    const asked = await within(this.#limits.reuploadTimeoutMs, ctx.sock.updateMediaMessage(message)).catch(() => null);
    // Only the path is new; of the host the library knows no more than the message did.
    return asked === null ? first : downloadMedia({ ...part, node: { ...part.node, url: url ?? null } }, options);
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

/** Rejects when `work` takes longer; `work` itself goes on. */
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
