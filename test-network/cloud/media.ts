import { createHash } from "node:crypto";
import { readFileOf } from "../phone/messages/inbox.ts";
import type { SimulatedPhone } from "../phone/simulated-phone.ts";
import type { CloudNetwork } from "./cloud-network.ts";
import { digits } from "./ids.ts";
import type { CloudNumber, Media } from "./model.ts";

const MB = 1024 * 1024;
const DAY_SECONDS = 86_400;
const UPLOADED_DAYS = 30;
const RECEIVED_DAYS = 7;
const URL_SECONDS = 300;
const LINK_TIMEOUT_MS = 10_000;

export type FileKind = "image" | "video" | "audio" | "document" | "sticker";

const KINDS: Readonly<Record<FileKind, { types: RegExp; bytes: number }>> = {
  image: { types: /^image\/(jpeg|png)$/, bytes: 5 * MB },
  video: { types: /^video\/(mp4|3gpp)$/, bytes: 16 * MB },
  audio: { types: /^audio\/(aac|amr|mpeg|mp4|ogg)\b/, bytes: 16 * MB },
  document: { types: /^(text\/plain|application\/.+|image\/.+|audio\/.+|video\/.+)$/, bytes: 100 * MB },
  sticker: { types: /^image\/webp$/, bytes: 500 * 1024 },
};
const ALL_TYPES = Object.values(KINDS).map(({ types }) => types);

export function kindProblem(kind: FileKind, type: string, size: number): string | null {
  const { types, bytes } = KINDS[kind];
  if (!types.test(type)) return `Param file must be a file with one of the types of ${kind}. Received file of type '${type}'.`;
  return size > bytes ? `Media file size too big. Max file size we currently support: ${bytes} bytes.` : null;
}

export function uploadProblem(type: string, size: number): string | null {
  if (!ALL_TYPES.some((types) => types.test(type)))
    return `Param file must be a file with one of the supported types. Received file of type '${type}'.`;
  const limit = type === "image/webp" ? KINDS.document : (Object.values(KINDS).find(({ types }) => types.test(type)) ?? KINDS.document);
  return size > limit.bytes ? `Media file size too big. Max file size we currently support: ${limit.bytes} bytes.` : null;
}

export function keepUpload(cloud: CloudNetwork, number: CloudNumber, file: { bytes: Buffer; type: string; name: string | null }): string {
  const media_id = digits(16);
  cloud.documents.putFile(media_id, file.bytes);
  cloud.documents.put("media", media_id, {
    media_id,
    phone_number_id: number.phone_number_id,
    mime_type: file.type,
    sha256: createHash("sha256").update(file.bytes).digest("hex"),
    size: file.bytes.length,
    filename: file.name,
    created_at: cloud.now(),
    message_id: null,
    deleted: false,
  });
  return media_id;
}

/** Registers a file received from a contact. It can be called inside a transaction. */
export function keepReceived(
  cloud: CloudNetwork,
  number: CloudNumber,
  messageId: string,
  file: Pick<Media, "mime_type" | "sha256" | "size" | "filename">,
): Media {
  const media: Media = {
    ...file,
    media_id: digits(16),
    phone_number_id: number.phone_number_id,
    created_at: cloud.now(),
    message_id: messageId,
    deleted: false,
  };
  cloud.documents.put("media", media.media_id, media);
  return media;
}

export function isAlive(cloud: CloudNetwork, { deleted, created_at, message_id }: Media): boolean {
  const days = message_id === null ? UPLOADED_DAYS : RECEIVED_DAYS;
  return !deleted && cloud.now() - created_at < days * DAY_SECONDS;
}

export function fileOf(cloud: CloudNetwork, number: CloudNumber, id: string): { media: Media; bytes: Buffer } | null {
  const media = cloud.documents.get("media", id);
  const bytes = media && cloud.documents.file(id);
  if (!media || !bytes || media.phone_number_id !== number.phone_number_id || !isAlive(cloud, media)) return null;
  return { media, bytes };
}

export async function fileAt(link: string): Promise<{ bytes: Buffer; mimetype: string } | null> {
  try {
    const response = await fetch(link, { signal: AbortSignal.timeout(LINK_TIMEOUT_MS) });
    if (!response.ok || response.body === null) return null;
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body) {
      size += chunk.length;
      if (size > KINDS.document.bytes) return null;
      chunks.push(chunk);
    }
    return { bytes: Buffer.concat(chunks), mimetype: (response.headers.get("content-type") ?? "").replace(/;.*$/, "").trim() };
  } catch {
    return null;
  }
}

export function bytesOf(cloud: CloudNetwork, media: Media, phone: SimulatedPhone | undefined): Buffer | null {
  if (media.message_id === null) return cloud.documents.file(media.media_id);
  const stored = phone?.deps.messages.findAnywhere(media.message_id);
  return stored && phone ? readFileOf(phone.deps, stored.content) : null;
}

/** A new download URL, valid for five minutes. With `expired`, it is already invalid. */
export function addressOf(cloud: CloudNetwork, { media_id }: Media, expired: boolean): string {
  const key = digits(20);
  cloud.documents.put("media_url", key, { media_id, until: cloud.now() + (expired ? -1 : URL_SECONDS) });
  return `/whatsapp_business/attachments/?mid=${media_id}&ext=${cloud.now() + URL_SECONDS}&hash=${key}`;
}
