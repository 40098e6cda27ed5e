// Limits of the Cloud API; `capabilities.limits` shows them (docs/use/cloud-api.md, "Limits"). Lengths are in code points.
import type { SendContent } from "@gateway/protocol/content.ts";

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

/** Files for the Cloud API are not converted: a file that does not fit is refused. `accepts` null: any type. */
export type CloudFileRule = { accepts: readonly string[] | null; maxBytes: number };

const SOUND = ["audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg", "audio/ogg; codecs=opus"];

export const CLOUD_FILE_RULES: Readonly<Record<FileContent, CloudFileRule>> = {
  image: { accepts: ["image/jpeg", "image/png"], maxBytes: CLOUD_LIMITS.imageBytes },
  video: { accepts: ["video/mp4", "video/3gpp"], maxBytes: CLOUD_LIMITS.videoBytes },
  audio: { accepts: SOUND, maxBytes: CLOUD_LIMITS.audioBytes },
  voice: { accepts: ["audio/ogg; codecs=opus"], maxBytes: CLOUD_LIMITS.voiceBytes },
  document: { accepts: null, maxBytes: CLOUD_LIMITS.documentBytes },
  /** The limit for animated stickers, because only the bytes show whether a sticker is animated. */
  sticker: { accepts: ["image/webp"], maxBytes: CLOUD_LIMITS.animatedStickerBytes },
};
