// A message as it appears on the phone's screen, with the gateway's names for types (docs/use/events.md, "Connection API events").
import { normalizeMessageContent, toNumber, type proto } from "baileys";
import type { ContactCardView, EventView, MessageView, PollView, StyleView } from "../views.ts";
import type { MediaFamily } from "./media-cipher.ts";

export type MediaPart = {
  family: MediaFamily;
  mimetype: string;
  filename: string | null;
  directPath: string;
  mediaKey: Uint8Array | null;
  fileSha256: Uint8Array;
  seconds: number | null;
};

type Content = proto.IMessage;
type Shown = Pick<MessageView, "type" | "text"> & Partial<MessageView>;

/** Returns null for content that is not a separate message (reactions, edits, key shares, …). */
export function viewOf(message: Content): MessageView | null {
  const content = normalizeMessageContent(message);
  if (!content) return null;
  const shown = SHOWN.map((show) => show(content)).find((view) => view);
  if (!shown) return null;
  const context = contextOf(content);
  return {
    location: null,
    contacts: null,
    poll: null,
    selected: null,
    link_preview: null,
    choices: null,
    event: null,
    group_invite: null,
    style: null,
    form: null,
    mention_all: (context?.nonJidMentions ?? 0) > 0,
    quoted_id: context?.stanzaId ?? null,
    mentions: context?.mentionedJid ?? [],
    forwarded: context?.isForwarded ?? false,
    view_once: isViewOnce(message, content),
    ...shown,
  };
}

const SHOWN: ReadonlyArray<(content: Content) => Shown | null | undefined> = [
  ({ conversation }) => (conversation ? { type: "text", text: conversation } : null),
  ({ extendedTextMessage: text }) =>
    text && {
      type: "text",
      text: text.text ?? "",
      link_preview: text.matchedText ? { title: text.title ?? null, url: text.matchedText } : null,
      style: styleOf(text),
    },
  ({ imageMessage: image }) => image && { type: "image", text: image.caption || null },
  ({ videoMessage, ptvMessage }) => {
    const video = videoMessage ?? ptvMessage;
    if (!video) return null;
    return { type: "video", text: video.caption || null, form: ptvMessage ? "note" : video.gifPlayback ? "gif" : null };
  },
  ({ audioMessage: audio }) =>
    audio && { type: audio.ptt ? "voice" : "audio", text: null, style: styleOf({ backgroundArgb: audio.backgroundArgb }) },
  ({ documentMessage: file }) => file && { type: "document", text: file.caption || null },
  ({ stickerMessage: sticker }) => sticker && { type: "sticker", text: null },
  ({ locationMessage: at }) =>
    at && {
      type: "location",
      text: at.name || at.address || null,
      location: {
        latitude: at.degreesLatitude ?? 0,
        longitude: at.degreesLongitude ?? 0,
        name: at.name || null,
        address: at.address || null,
      },
    },
  ({ contactMessage: card }) => card && { type: "contact", text: card.displayName ?? null, contacts: [contactView(card)] },
  ({ contactsArrayMessage: cards }) =>
    cards && {
      type: "contact",
      text: cards.displayName ?? null,
      contacts: (cards.contacts ?? []).map(contactView),
    },
  (content) => {
    const poll = pollOf(content);
    return poll && { type: "poll", text: poll.question, poll };
  },
  ({ eventMessage: event }) => event && { type: "event", text: event.name ?? null, event: eventView(event) },
  ({ groupInviteMessage: invite }) =>
    invite && {
      type: "group_invite",
      text: invite.caption || invite.groupName || null,
      group_invite: { group_id: invite.groupJid ?? "", invite_code: invite.inviteCode ?? "", subject: invite.groupName ?? "" },
    },
  ({ listMessage: list }) => {
    if (!list) return null;
    const rows = (list.sections ?? []).flatMap((section) => section.rows ?? []);
    return {
      type: "list",
      text: list.description ?? null,
      choices: rows.map(({ rowId, title }) => ({ id: rowId ?? "", title: title ?? "" })),
    };
  },
  ({ buttonsMessage: form }) =>
    form && {
      type: "buttons",
      text: form.contentText ?? null,
      choices: (form.buttons ?? []).map(({ buttonId, buttonText }) => ({ id: buttonId ?? "", title: buttonText?.displayText ?? "" })),
    },
  ({ templateMessage: template }) => {
    const form = template?.hydratedTemplate ?? template?.hydratedFourRowTemplate;
    if (!form) return null;
    const replies = (form.hydratedButtons ?? []).flatMap(({ quickReplyButton: reply }) => reply ?? []);
    return {
      type: "template",
      text: form.hydratedContentText ?? null,
      choices: replies.map(({ id, displayText }) => ({ id: id ?? "", title: displayText ?? "" })),
    };
  },
  ({ listResponseMessage: answer }) =>
    answer && {
      type: "list_response",
      text: answer.title ?? null,
      selected: { row_id: answer.singleSelectReply?.selectedRowId ?? "", title: answer.title ?? "" },
    },
  ({ buttonsResponseMessage: answer }) =>
    answer && {
      type: "button_response",
      text: answer.selectedDisplayText ?? null,
      selected: { button_id: answer.selectedButtonId ?? "", title: answer.selectedDisplayText ?? "" },
    },
];

/** The poll in a message, which may be stored in any of three fields. */
export function pollOf(content: Content): PollView | null {
  const poll = content.pollCreationMessage ?? content.pollCreationMessageV2 ?? content.pollCreationMessageV3;
  if (!poll) return null;
  const options = (poll.options ?? []).map(({ optionName }) => optionName ?? "");
  return { question: poll.name ?? "", options, selectable_count: poll.selectableOptionsCount ?? 0 };
}

const FAMILIES = {
  imageMessage: "Image",
  videoMessage: "Video",
  ptvMessage: "Video",
  audioMessage: "Audio",
  documentMessage: "Document",
  stickerMessage: "Image",
} as const satisfies Partial<Record<keyof Content, MediaFamily>>;

export function mediaPartOf(message: Content): MediaPart | null {
  const content = normalizeMessageContent(message);
  for (const field of Object.keys(FAMILIES) as Array<keyof typeof FAMILIES>) {
    const part = content?.[field];
    if (!part) continue;
    if (!part.directPath || !part.fileSha256) return null;
    return {
      family: FAMILIES[field],
      mimetype: part.mimetype ?? "application/octet-stream",
      filename: "fileName" in part ? (part.fileName ?? null) : null,
      directPath: part.directPath,
      mediaKey: part.mediaKey?.length ? part.mediaKey : null,
      fileSha256: part.fileSha256,
      seconds: "seconds" in part ? (part.seconds ?? null) : null,
    };
  }
  return null;
}

function contextOf(content: Content): proto.IContextInfo | null {
  for (const part of Object.values(content)) {
    if (part && typeof part === "object" && "contextInfo" in part && part.contextInfo) return part.contextInfo as proto.IContextInfo;
  }
  return null;
}

function isViewOnce(message: Content, content: Content): boolean {
  if (message.viewOnceMessage ?? message.viewOnceMessageV2 ?? message.viewOnceMessageV2Extension) return true;
  return (content.imageMessage?.viewOnce ?? content.videoMessage?.viewOnce ?? content.audioMessage?.viewOnce) === true;
}

function eventView(event: proto.Message.IEventMessage): EventView {
  return {
    name: event.name ?? "",
    description: event.description || null,
    starts_at: toNumber(event.startTime ?? 0),
    ends_at: event.endTime ? toNumber(event.endTime) : null,
    cancelled: event.isCanceled === true,
    location: event.location?.name || null,
  };
}

function styleOf({
  backgroundArgb,
  font,
}: {
  backgroundArgb?: number | null | undefined;
  font?: number | null | undefined;
}): StyleView | null {
  if (!backgroundArgb && !font) return null;
  return { background: backgroundArgb ? colour(backgroundArgb) : null, font: font ?? null };
}

function colour(argb: number): string {
  return `#${(argb >>> 0).toString(16).padStart(8, "0").toUpperCase()}`;
}

function contactView(card: proto.Message.IContactMessage): ContactCardView {
  const vcard = card.vcard ?? "";
  const waid = /waid=(\d+)/.exec(vcard)?.[1];
  const tel = /^TEL[^:\n]*:(.+)$/m.exec(vcard)?.[1];
  return { full_name: card.displayName ?? "", phone: waid ?? tel?.replace(/\D/g, "") ?? null, vcard };
}
