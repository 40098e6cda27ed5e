// Files of incoming messages. A message waits up to ten seconds for its file, and slower files follow as `message.media`.
import { setTimeout as pause } from "node:timers/promises";
import { isJidNewsletter, jidNormalizedUser, type BaileysEventMap, type WAMessage } from "baileys";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { MAX_MEDIA_BYTES } from "@gateway/protocol/internal-http.ts";
import type { StoredMedia } from "@gateway/protocol/message.ts";
import { errorFacts } from "#bridge/log.ts";
import { describeMedia, type MediaPart } from "../content/media-part.ts";
import { numberOf } from "../content/unwrap.ts";
import { downloadMedia, type Downloaded } from "./download.ts";
import { LEAST_PROGRESS, type FetchLimits } from "./fetch-file.ts";
import { perSession } from "../session/per-session.ts";
import type { SessionContext } from "../session/session-context.ts";
import { ProcessSlots, TransferSlots } from "./transfer-slots.ts";

export type MediaLimits = {
  releaseAfterMs: number;
  downloadTimeoutMs: number;
  progress: FetchLimits["progress"];
  reuploadTimeoutMs: number;
  retryDelaysMs: readonly number[];
  concurrency: number;
  maxWaiting: number;
};

export const MEDIA_LIMITS: MediaLimits = {
  releaseAfterMs: 10_000,
  downloadTimeoutMs: 300_000,
  progress: LEAST_PROGRESS,
  reuploadTimeoutMs: 30_000,
  retryDelaysMs: [1_000, 5_000, 20_000],
  concurrency: 8,
  maxWaiting: 1_000,
};

const NO_REPLY = new Error("the phone did not answer") as NonNullable<BaileysEventMap["messages.media-update"][number]["error"]>;

/** The network deleted the file (`gone`), too many wait or the worker rejected it (`not_stored`), or the gateway is down. */
type Fetched = StoredMedia | "gone" | "failed" | "not_stored" | "unavailable";

export type IncomingFile = {
  /** The stored file, or only its description if the download failed. Null if the file may still follow. */
  inTime: Promise<StoredMedia | null>;
  /** The stored file, however long it takes. Null if the download failed, `unavailable` if the gateway did not take the file. */
  stored: Promise<StoredMedia | "unavailable" | null>;
};

export class IncomingMedia {
  readonly #limits: MediaLimits;
  readonly #slots: TransferSlots;
  readonly #requests: TransferSlots;

  constructor(limits: MediaLimits = MEDIA_LIMITS, shared?: ProcessSlots) {
    this.#limits = limits;
    this.#slots = new TransferSlots(limits.concurrency, limits.maxWaiting, shared);
    this.#requests = new TransferSlots(limits.concurrency, limits.maxWaiting, new ProcessSlots(limits.concurrency));
  }

  receive(ctx: SessionContext, message: WAMessage, part: MediaPart): IncomingFile {
    const described = describeMedia(part);
    const { promise: inTime, resolve } = Promise.withResolvers<StoredMedia | null>();
    const timeout = setTimeout(() => resolve(null), this.#limits.releaseAfterMs);
    const storing = this.#store(ctx, message, part).catch((error: unknown) => {
      ctx.logger.warn({ ...errorFacts(error), messageId: message.key.id }, "media.failed");
      return null;
    });
    const finish = async (): Promise<void> => {
      const stored = await storing;
      resolve(stored === "unavailable" ? null : (stored ?? described));
      clearTimeout(timeout);
    };
    void finish();
    return { inTime, stored: storing };
  }

  /** Downloads an older message's file again. Fails with `media_expired` if neither the network nor the phone has it. */
  async refetch(ctx: SessionContext, message: WAMessage, part: MediaPart): Promise<Outcome<StoredMedia>> {
    const fetched = await this.#fetch(ctx, message, part, CUSTOMER);
    if (fetched === "gone") return fail("media_expired");
    if (fetched === "failed") return fail("network_error");
    return typeof fetched === "string" ? fail("unavailable") : { ok: true, value: fetched };
  }

  async #store(ctx: SessionContext, message: WAMessage, part: MediaPart): Promise<StoredMedia | "unavailable" | null> {
    if (numberOf(part.node.fileLength) > MAX_MEDIA_BYTES) return null;
    const sender = jidNormalizedUser(message.key.participant || message.key.remoteJid || "");
    const fetched = await this.#fetch(ctx, message, part, sender);
    return typeof fetched === "string" && fetched !== "unavailable" ? null : fetched;
  }

  async #fetch(ctx: SessionContext, message: WAMessage, part: MediaPart, sender: string): Promise<Fetched> {
    const plain = isJidNewsletter(message.key.remoteJid ?? "") === true;
    const { url } = part.node;
    const first = await this.#counted(ctx, part, plain, sender);
    if (first !== "gone") return first;
    // Asks the phone once to upload the file again. The library writes the new path to the message.
    if (!(await this.#reupload(ctx, message, sender))) return first;
    // The phone returns only a new path. The host is still the one in the message.
    return this.#counted(ctx, { ...part, node: { ...part.node, url: url ?? null } }, plain, sender);
  }

  async #counted(ctx: SessionContext, part: MediaPart, plain: boolean, sender: string): Promise<Fetched> {
    const ended = await this.#downloadAndStore(ctx, part, plain, sender);
    if (typeof ended === "string") {
      ctx.metrics.fileFetched("in", ended, 0);
      ctx.metrics.troubled("file", ended, ctx.connection);
    } else ctx.metrics.fileFetched("in", "stored", ended.size ?? 0);
    return ended;
  }

  async #downloadAndStore(ctx: SessionContext, part: MediaPart, plain: boolean, sender: string): Promise<Fetched> {
    const { downloadTimeoutMs: timeoutMs, progress, retryDelaysMs } = this.#limits;
    let file: DownloadedFile | null = null;
    const attempt = async (): Promise<Fetched> => {
      if (ctx.ended.aborted) return "not_stored";
      if (file === null) {
        const downloaded = await downloadMedia(ctx, part, { plain, timeoutMs, progress });
        if (!downloaded.ok) return downloaded.why;
        file = downloaded;
      }
      return upload(ctx, file, describeMedia(part));
    };
    try {
      for (const waitMs of [...retryDelaysMs, null]) {
        const ended = (await this.#slots.run(sender, attempt)) ?? "not_stored";
        if (ended !== "unavailable") return ended;
        // The file is spooled to disk first, so that it occupies neither a slot nor memory while it waits.
        if (waitMs === null || !(await isOnDisk(file))) break;
        await pause(waitMs, null, { signal: ctx.ended }).catch(() => undefined);
      }
      return "unavailable";
    } finally {
      await discard(file);
    }
  }

  async #reupload(ctx: SessionContext, message: WAMessage, sender: string): Promise<boolean> {
    const answered = await this.#requests.run(sender, async () => {
      // Ends the library's wait, because it has no timeout of its own.
      const giveUp = () => ctx.sock.ev.emit("messages.media-update", [{ key: message.key, error: NO_REPLY }]);
      const timer = setTimeout(giveUp, this.#limits.reuploadTimeoutMs);
      return ctx.sock
        .updateMediaMessage(message)
        .then(
          () => true,
          () => false,
        )
        .finally(() => clearTimeout(timer));
    });
    return answered ?? false;
  }
}

/** All customer requests share their slots under this name. */
const CUSTOMER = "customer";

type DownloadedFile = Extract<Downloaded, { ok: true }>;

async function isOnDisk(file: DownloadedFile | null): Promise<boolean> {
  const path = await file?.spool.path().catch(() => null);
  return typeof path === "string";
}

async function discard(file: DownloadedFile | null): Promise<void> {
  await file?.spool.discard();
}

async function upload(ctx: SessionContext, { spool, sha256 }: DownloadedFile, about: StoredMedia): Promise<Fetched> {
  const file = { mimetype: about.mimetype, filename: about.filename, sha256, size: spool.size, days: ctx.settings.media_retention_days };
  const stored = await ctx.media.upload(spool.body(), file);
  if (stored.ok) return { ...about, token: stored.value.token, size: stored.value.size, sha256 };
  return stored.failure.code === "unavailable" ? "unavailable" : "not_stored";
}

export const incomingMediaOf = perSession(() => new IncomingMedia());
