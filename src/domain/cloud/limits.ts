// Cloud API limits, as shown in `capabilities.limits` (docs/use/cloud-api.md, "Limits"). Lengths are in code points.
import type { SendContent } from "@gateway/protocol/content.ts";
import { notAhead } from "../clock-set-back.ts";

const KB = 1024;
const MB = 1024 * KB;

export const CLOUD_LIMITS = {
  textCharacters: 4_096,
  captionCharacters: 1_024,
  bodyCharacters: 1_024,
  headerCharacters: 60,
  footerCharacters: 60,
  listButtonCharacters: 20,
  listRows: 10,
  sectionTitleCharacters: 24,
  rowIdCharacters: 200,
  rowTitleCharacters: 24,
  rowDescriptionCharacters: 72,
  buttons: 3,
  buttonIdCharacters: 256,
  buttonTitleCharacters: 20,
  imageBytes: 5 * MB,
  videoBytes: 16 * MB,
  audioBytes: 16 * MB,
  voiceBytes: 16 * MB,
  documentBytes: 100 * MB,
  stickerBytes: 100 * KB,
  animatedStickerBytes: 500 * KB,
  aboutCharacters: 139,
  groupSubjectCharacters: 128,
  groupDescriptionCharacters: 2_048,
  participantsRemoved: 8,
  callbackDataCharacters: 512,
} as const;

export const NAMED_CLOUD_LIMITS: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries(CLOUD_LIMITS).map(([name, limit]) => [
    `cloud_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
    limit,
  ]),
);

export type FileContent = Extract<SendContent, { media: unknown }>["kind"];

/** Files for the Cloud API are not converted, so a file that exceeds a limit is refused. `accepts` is null if any type is accepted. */
export type CloudFileRule = { accepts: readonly string[] | null; maxBytes: number };

const SOUND = ["audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg", "audio/ogg; codecs=opus"];

export const CLOUD_FILE_RULES: Readonly<Record<FileContent, CloudFileRule>> = {
  image: { accepts: ["image/jpeg", "image/png"], maxBytes: CLOUD_LIMITS.imageBytes },
  video: { accepts: ["video/mp4", "video/3gpp"], maxBytes: CLOUD_LIMITS.videoBytes },
  audio: { accepts: SOUND, maxBytes: CLOUD_LIMITS.audioBytes },
  voice: { accepts: ["audio/ogg; codecs=opus"], maxBytes: CLOUD_LIMITS.voiceBytes },
  document: { accepts: null, maxBytes: CLOUD_LIMITS.documentBytes },
  /** The limit for animated stickers. Only the file itself shows whether a sticker is animated. */
  sticker: { accepts: ["image/webp"], maxBytes: CLOUD_LIMITS.animatedStickerBytes },
};

// Limits the sends in flight to Graph. The limit grows on demand, and shrinks if Graph throttles or does not respond.
const INITIAL_LIMIT = 10;
/** If Graph responds in half a second, this many concurrent requests exceed Meta's default of 80 messages a second. */
const MAX_LIMIT = 100;
const MIN_LIMIT = 2;
/** Average interval between increases. Responses arrive in bursts, so faster growth would exceed Meta's limit. */
const GROW_MS = 100;
const GROW_CAREFULLY_MS = 2_000;
const BURST_MS = 1_000;

const PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

const FIRST_GUESS_MS = 500;
const MARGIN = 1.5;
/** Caps the time reserved for a response, because a slower response may still arrive in time. */
const MAX_RESERVE_MS = 5_000;
const FORGETS = 1 / 20;

export class SendPace {
  #limit = INITIAL_LIMIT;
  #growMs = GROW_MS;
  #underway = 0;
  #grewAt = 0;
  #shrankAt = 0;
  #answeredAt = 0;
  #answerMs = FIRST_GUESS_MS;
  #pause: { until: number; ms: number } | null = null;

  get limit(): number {
    return this.#limit;
  }

  canStart(now: number): boolean {
    return this.#underway < this.#limit && this.pausedMs(now) === 0;
  }

  pausedMs(now: number): number {
    const pause = this.#pauseAt(now);
    return pause === null ? 0 : Math.max(0, Math.min(pause.until - now, pause.ms));
  }

  #pauseAt(now: number): { until: number; ms: number } | null {
    if (this.#pause !== null) this.#pause = { ...this.#pause, until: notAhead(this.#pause.until, this.#pause.ms, now) };
    return this.#pause;
  }

  /** True if a request sent as soon as possible is likely to be answered by `deadlineAt`. */
  canAnswerBy(deadlineAt: number, now: number): boolean {
    return now + this.pausedMs(now) + Math.min(this.#answerMs * MARGIN, MAX_RESERVE_MS) <= deadlineAt;
  }

  begin(): void {
    this.#underway += 1;
  }

  free(): void {
    this.#underway -= 1;
  }

  /** `grows` means that Graph accepted the message while others were waiting. */
  answered(begunAt: number, grows: boolean, now: number): void {
    const tookMs = now - begunAt;
    this.#answerMs = Math.max(tookMs, this.#answerMs + (tookMs - this.#answerMs) * FORGETS);
    this.#answeredAt = now;
    if (this.#pause !== null && begunAt >= this.#pause.until) this.#pause = null;
    const grewAt = Math.min(now, Math.max(this.#grewAt, now - Math.max(BURST_MS, this.#growMs)));
    if (!grows || this.#limit >= MAX_LIMIT || now - grewAt < this.#growMs) return;
    this.#limit += 1;
    this.#grewAt = grewAt + this.#growMs;
  }

  /** Graph throttled the number. Ignores results of requests that were sent before the pause, because they show nothing new. */
  throttled(begunAt: number, now: number): void {
    this.#answeredAt = now;
    const pause = this.#pauseAt(now);
    if (pause !== null && begunAt < pause.until) return;
    const ms = pause === null ? PAUSE_MS : Math.min(pause.ms * 2, MAX_PAUSE_MS);
    this.#pause = { until: now + ms, ms };
    this.#growMs = GROW_CAREFULLY_MS;
    this.#shrink(now);
  }

  /** The request is slow. If Graph has not responded to anything else since, it may be overloaded. */
  overdue(begunAt: number, now: number): void {
    if (this.#answeredAt < begunAt && this.#shrankAt < begunAt) this.#shrink(now);
  }

  #shrink(now: number): void {
    this.#limit = Math.max(MIN_LIMIT, Math.floor(this.#limit / 2));
    this.#shrankAt = now;
    this.#grewAt = now;
  }
}
