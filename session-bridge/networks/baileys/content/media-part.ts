import type { MediaType, proto } from "baileys";
import { storableFilename, mediaTypeOf } from "@gateway/protocol/files.ts";
import type { StoredMedia } from "@gateway/protocol/message.ts";
import { wholeNumberOf } from "./unwrap.ts";

export type MediaNode = proto.Message.IImageMessage &
  proto.Message.IVideoMessage &
  proto.Message.IAudioMessage &
  proto.Message.IDocumentMessage &
  proto.Message.IStickerMessage;

export type MediaPart = { family: Extract<MediaType, "image" | "video" | "audio" | "document" | "sticker">; node: Partial<MediaNode> };

const DEFAULT_MIMETYPES: Record<MediaPart["family"], string> = {
  image: "image/jpeg",
  video: "video/mp4",
  audio: "audio/ogg; codecs=opus",
  document: "application/octet-stream",
  sticker: "image/webp",
};

export function describeMedia({ family, node }: MediaPart): StoredMedia {
  return {
    token: null,
    mimetype: mediaTypeOf(node.mimetype || DEFAULT_MIMETYPES[family]),
    filename: storableFilename(node.fileName ?? "") || null,
    size: wholeNumberOf(node.fileLength),
    sha256: node.fileSha256?.length ? Buffer.from(node.fileSha256).toString("hex") : null,
    duration_seconds: node.seconds || null,
    width: node.width || null,
    height: node.height || null,
  };
}
