import { randomBytes } from "node:crypto";
import type { proto } from "baileys";
import { sealMedia, type MediaFamily } from "./media-cipher.ts";

export type OutgoingFile = {
  bytes: Buffer;
  mimetype: string;
  filename: string | null;
  seconds?: number | undefined;
  claims?: FileClaims | undefined;
};

export type FileClaims = {
  /** `url` and `directPath` are sent unchanged. Setting one omits the other. */
  url?: string | undefined;
  directPath?: string | undefined;
  /** Sends the file unencrypted, which normally only channels do. */
  plain?: boolean | undefined;
  unhashed?: boolean | undefined;
};

type Captioned = {
  file: OutgoingFile;
  caption: string | null;
};

type Contact = {
  full_name: string;
  phone: string;
  vcard?: string | undefined;
};

type Choice = {
  id: string;
  title: string;
};

type ListRow = Choice & {
  description?: string | undefined;
};

type ButtonsHeader = {
  kind: "image" | "video" | "document";
  file: OutgoingFile;
};

/** A description of `url`, which the text contains. `thumbnail` is a small JPEG. */
export type OutgoingPreview = { url: string; title: string; description?: string | undefined; thumbnail?: Uint8Array | undefined };

export type OutgoingContent =
  | { type: "text"; text: string; style?: { background: string; font: number }; preview?: OutgoingPreview }
  | ({ type: "image"; view_once: boolean } & Captioned)
  | ({ type: "video"; view_once: boolean } & Captioned)
  | ({ type: "document" } & Captioned)
  | { type: "audio" | "voice"; file: OutgoingFile; view_once: boolean }
  | { type: "sticker"; file: OutgoingFile }
  | { type: "location"; latitude: number; longitude: number; name: string | null; address: string | null }
  | { type: "contact"; contacts: Contact[] }
  | { type: "poll"; question: string; options: string[]; selectable_count: number }
  | { type: "list"; title: string; text: string; button: string; rows: ListRow[]; footer?: string | null }
  | { type: "buttons"; title: string; text: string; footer: string | null; buttons: Choice[]; header: ButtonsHeader | null }
  | { type: "template"; text: string; buttons: Choice[] }
  | { type: "list_response"; row_id: string; title: string }
  | { type: "button_response"; button_id: string; title: string };

type Upload = (sealed: Buffer) => { url: string; directPath: string };

/** Fields common to all content. `context` contains quote and mentions. */
export type Dressing = {
  upload: Upload;
  context: proto.IContextInfo | null;
};

function styled(
  style: { background: string; font: number } | undefined,
): Pick<proto.Message.IExtendedTextMessage, "backgroundArgb" | "font"> {
  return style ? { backgroundArgb: Number.parseInt(style.background.slice(1), 16), font: style.font } : {};
}

function previewed(
  preview: OutgoingPreview | undefined,
): Pick<proto.Message.IExtendedTextMessage, "matchedText" | "title" | "description" | "jpegThumbnail"> {
  if (!preview) return {};
  const { url, title, description, thumbnail } = preview;
  return { matchedText: url, title, ...(description !== undefined && { description }), ...(thumbnail && { jpegThumbnail: thumbnail }) };
}

/** Builds the wire form, and encrypts and uploads media. */
export function encodeContent(content: OutgoingContent, { upload, context }: Dressing): proto.IMessage {
  const contextInfo = context ?? undefined;
  const message: proto.IMessage = { messageContextInfo: { messageSecret: randomBytes(32) } };
  const stored = (file: OutgoingFile, family: MediaFamily) => ({ ...storeFile(file, family, upload), ...(contextInfo && { contextInfo }) });
  switch (content.type) {
    case "text":
      if (!contextInfo && !content.style && !content.preview) return { ...message, conversation: content.text };
      return {
        ...message,
        extendedTextMessage: {
          text: content.text,
          ...(contextInfo && { contextInfo }),
          ...styled(content.style),
          ...previewed(content.preview),
        },
      };
    case "image":
      return onceOnly(content.view_once, {
        ...message,
        imageMessage: { ...stored(content.file, "Image"), caption: content.caption, viewOnce: content.view_once },
      });
    case "video":
      return onceOnly(content.view_once, {
        ...message,
        videoMessage: { ...stored(content.file, "Video"), caption: content.caption, viewOnce: content.view_once },
      });
    case "document":
      return {
        ...message,
        documentMessage: { ...stored(content.file, "Document"), fileName: content.file.filename ?? "file", caption: content.caption },
      };
    case "audio":
    case "voice":
      return onceOnly(content.view_once, {
        ...message,
        audioMessage: {
          ...stored(content.file, "Audio"),
          ptt: content.type === "voice",
          seconds: content.file.seconds ?? 1,
          viewOnce: content.view_once,
        },
      });
    case "sticker":
      return { ...message, stickerMessage: stored(content.file, "Image") };
    case "location":
      return {
        ...message,
        locationMessage: {
          degreesLatitude: content.latitude,
          degreesLongitude: content.longitude,
          name: content.name,
          address: content.address,
          ...(contextInfo && { contextInfo }),
        },
      };
    case "contact":
      return { ...message, ...contactCards(content.contacts, contextInfo) };
    case "poll":
      return { ...message, ...pollForm(content, contextInfo) };
    case "list":
      return {
        ...message,
        listMessage: {
          title: content.title,
          description: content.text,
          buttonText: content.button,
          listType: 1,
          ...(content.footer && { footerText: content.footer }),
          sections: [
            { title: content.title, rows: content.rows.map(({ id, title, description = null }) => ({ rowId: id, title, description })) },
          ],
          ...(contextInfo && { contextInfo }),
        },
      };
    case "buttons":
      return { ...message, buttonsMessage: { ...buttonsForm(content, stored), ...(contextInfo && { contextInfo }) } };
    case "template":
      return { ...message, templateMessage: { ...templateForm(content), ...(contextInfo && { contextInfo }) } };
    case "list_response":
      return {
        ...message,
        listResponseMessage: {
          title: content.title,
          listType: 1,
          singleSelectReply: { selectedRowId: content.row_id },
          ...(contextInfo && { contextInfo }),
        },
      };
    case "button_response":
      return {
        ...message,
        buttonsResponseMessage: {
          selectedButtonId: content.button_id,
          selectedDisplayText: content.title,
          type: 1,
          ...(contextInfo && { contextInfo }),
        },
      };
  }
}

export function stanzaTypeOf(message: proto.IMessage): "text" | "media" | "poll" | "reaction" | "event" {
  const inner = message.viewOnceMessageV2?.message ?? message.viewOnceMessageV2Extension?.message ?? message;
  if (inner.reactionMessage) return "reaction";
  if (inner.pollCreationMessage ?? inner.pollCreationMessageV3 ?? inner.pollUpdateMessage) return "poll";
  const media = inner.imageMessage ?? inner.videoMessage ?? inner.audioMessage ?? inner.documentMessage ?? inner.stickerMessage;
  return (media ??
    inner.contactMessage ??
    inner.contactsArrayMessage ??
    inner.listMessage ??
    inner.buttonsMessage ??
    inner.templateMessage ??
    inner.listResponseMessage ??
    inner.buttonsResponseMessage)
    ? "media"
    : "text";
}

function storeFile(file: OutgoingFile, family: MediaFamily, upload: Upload) {
  const { sealed, mediaKey, fileSha256, fileEncSha256, fileLength } = sealMedia(file.bytes, family);
  const { url, directPath, plain = false, unhashed = false } = file.claims ?? {};
  const uploaded = upload(plain ? file.bytes : sealed);
  return {
    ...(url === undefined && directPath === undefined ? uploaded : { url: url ?? null, directPath: directPath ?? null }),
    ...(plain ? {} : { mediaKey, fileEncSha256 }),
    ...(unhashed ? {} : { fileSha256 }),
    fileLength,
    mimetype: file.mimetype,
    mediaKeyTimestamp: Math.floor(Date.now() / 1000),
  };
}

// Phones use `viewOnceMessageV2` for pictures and videos, and its extension for audio.
function onceOnly(viewOnce: boolean, message: proto.IMessage): proto.IMessage {
  if (!viewOnce) return message;
  const { messageContextInfo } = message;
  const outer = messageContextInfo ? { messageContextInfo } : {};
  return message.audioMessage ? { ...outer, viewOnceMessageV2Extension: { message } } : { ...outer, viewOnceMessageV2: { message } };
}

function buttonsForm(
  { title, text, footer, buttons, header }: Extract<OutgoingContent, { type: "buttons" }>,
  stored: Stored,
): proto.Message.IButtonsMessage {
  return {
    contentText: text,
    ...(footer && { footerText: footer }),
    buttons: buttons.map(({ id, title: displayText }) => ({ buttonId: id, buttonText: { displayText }, type: 1 })),
    ...(header ? HEADERS[header.kind](header.file, stored) : { headerType: title === "" ? 1 : 2, ...(title !== "" && { text: title }) }),
  };
}

type Stored = (file: OutgoingFile, family: MediaFamily) => ReturnType<typeof storeFile>;

const HEADERS: { readonly [K in ButtonsHeader["kind"]]: (file: OutgoingFile, stored: Stored) => proto.Message.IButtonsMessage } = {
  document: (file, stored) => ({ headerType: 3, documentMessage: { ...stored(file, "Document"), fileName: file.filename ?? "file" } }),
  image: (file, stored) => ({ headerType: 4, imageMessage: stored(file, "Image") }),
  video: (file, stored) => ({ headerType: 5, videoMessage: stored(file, "Video") }),
};

function templateForm({ text, buttons }: Extract<OutgoingContent, { type: "template" }>): proto.Message.ITemplateMessage {
  const hydratedButtons = buttons.map(({ id, title: displayText }, index) => ({ index, quickReplyButton: { id, displayText } }));
  return { hydratedTemplate: { hydratedContentText: text, hydratedButtons } };
}

function contactCards(contacts: readonly Contact[], contextInfo: proto.IContextInfo | undefined): proto.IMessage {
  const cards = contacts.map(({ full_name, phone, vcard = cardOf(full_name, phone) }) => ({ displayName: full_name, vcard }));
  const [only, another] = cards;
  if (only && !another) return { contactMessage: { ...only, ...(contextInfo && { contextInfo }) } };
  return { contactsArrayMessage: { displayName: `${cards.length} contacts`, contacts: cards, ...(contextInfo && { contextInfo }) } };
}

function cardOf(name: string, phone: string): string {
  return ["BEGIN:VCARD", "VERSION:3.0", `N:;${name};;;`, `FN:${name}`, `TEL;type=CELL;waid=${phone}:+${phone}`, "END:VCARD"].join("\n");
}

function pollForm(
  poll: { question: string; options: string[]; selectable_count: number },
  contextInfo: proto.IContextInfo | undefined,
): proto.IMessage {
  const form = {
    name: poll.question,
    options: poll.options.map((optionName) => ({ optionName })),
    selectableOptionsCount: poll.selectable_count,
    ...(contextInfo && { contextInfo }),
  };
  return poll.selectable_count === 1 ? { pollCreationMessageV3: form } : { pollCreationMessage: form };
}
