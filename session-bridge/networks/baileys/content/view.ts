// Renders message content, one renderer per kind. Kinds without a renderer keep the network's name.
import type { proto } from "baileys";
import type { LinkPreview, NetworkMessage } from "@gateway/protocol/message.ts";
import { cardsOf } from "./contact-cards.ts";
import { linkPreviewOf } from "./link-preview.ts";
import type { MediaNode, MediaPart } from "./media-part.ts";
import { unwrap, type Unwrapped } from "./unwrap.ts";

// Limits for lists whose lengths senders choose. No official client creates longer ones.
const MAX_CONTACTS = 257;
const MAX_OPTIONS = 100;

type ContentFields = Pick<NetworkMessage, "location" | "contacts" | "poll" | "selected"> & { preview: LinkPreview | null };

export type ContentView = ContentFields & {
  type: string;
  text: string | null;
  media: MediaPart | null;
  context: proto.IContextInfo | null;
  viewOnce: boolean;
  /** ARGB colours. Only status posts with text or voice have them. */
  background: number | null;
};

type RenderedContent = { type: string; text: string | null; media?: MediaPart } & Partial<ContentFields>;
type Renderers = { [F in keyof proto.IMessage]?: (value: NonNullable<proto.IMessage[F]>) => RenderedContent | null };

const media = (type: string, family: MediaPart["family"], node: Partial<MediaNode>, text: string | null = null): RenderedContent => ({
  type,
  text,
  media: { family, node },
});

const RENDERERS: Renderers = {
  conversation: (text) => ({ type: "text", text }),
  extendedTextMessage: (node) => ({ type: "text", text: node.text ?? "", preview: linkPreviewOf(node) }),
  imageMessage: (node) => media("image", "image", node, node.caption || null),
  videoMessage: (node) => media("video", "video", node, node.caption || null),
  ptvMessage: (node) => media("video", "video", node, node.caption || null),
  audioMessage: (node) => media(node.ptt ? "voice" : "audio", "audio", node),
  documentMessage: (node) => media("document", "document", node, node.caption || null),
  stickerMessage: (node) => media("sticker", "sticker", node),
  locationMessage: location,
  liveLocationMessage: ({ degreesLatitude, degreesLongitude, caption }) =>
    location({ degreesLatitude: degreesLatitude ?? 0, degreesLongitude: degreesLongitude ?? 0, name: caption ?? null }),
  contactMessage: (card) => contacts([card]),
  contactsArrayMessage: ({ contacts: cards }) => contacts((cards ?? []).slice(0, MAX_CONTACTS)),
  pollCreationMessage: poll,
  pollCreationMessageV2: poll,
  pollCreationMessageV3: poll,
  pollCreationMessageV5: poll,
  eventMessage: ({ name, description }) => ({ type: "event", text: name || description || null }),
  groupInviteMessage: ({ caption, groupName }) => ({ type: "group_invite", text: caption || groupName || null }),
  listMessage: ({ title, description }) => ({ type: "list", text: description || title || null }),
  listResponseMessage: ({ title, singleSelectReply }) => listResponse(singleSelectReply?.selectedRowId, title),
  buttonsResponseMessage: ({ selectedButtonId, selectedDisplayText }) => buttonResponse(selectedButtonId, selectedDisplayText),
  templateButtonReplyMessage: ({ selectedId, selectedDisplayText }) => buttonResponse(selectedId, selectedDisplayText),
  interactiveResponseMessage: interactiveResponse,
  buttonsMessage: (node) => ({
    type: "buttons",
    text: node.contentText || node.text || null,
    ...headerMedia(node),
  }),
  interactiveMessage: ({ body, header }) => ({
    type: "interactive",
    text: body?.text || header?.title || null,
    ...headerMedia(header ?? {}),
  }),
  templateMessage: (template) => {
    const filled = template.hydratedTemplate ?? template.hydratedFourRowTemplate;
    return { type: "template", text: filled?.hydratedContentText || filled?.hydratedTitleText || null, ...headerMedia(filled ?? {}) };
  },
};

/** Content that is not a separate message, because it changes another message, reports a call, or passes between our own devices. */
const NON_MESSAGE_FIELDS = new Set<string>([
  "protocolMessage",
  "reactionMessage",
  "encReactionMessage",
  "pollUpdateMessage",
  "pinInChatMessage",
  "keepInChatMessage",
  "call",
  "callLogMesssage",
  "bcallMessage",
  "stickerSyncRmrMessage",
  "encEventResponseMessage",
  "encCommentMessage",
  "placeholderMessage",
  "secretEncryptedMessage",
  "messageHistoryBundle",
  "messageHistoryNotice",
  "albumMessage",
  "chat",
  "highlyStructuredMessage",
  "statusStickerInteractionMessage",
  "statusNotificationMessage",
  "botTaskMessage",
]);

type CommonFields = { contextInfo?: proto.IContextInfo | null; viewOnce?: boolean | null; backgroundArgb?: number | null };

export function viewOf(message: proto.IMessage | null | undefined): ContentView | null {
  return viewOfUnwrapped(unwrap(message));
}

export function viewOfUnwrapped({ field, content, viewOnce }: Unwrapped): ContentView | null {
  if (field === null || NON_MESSAGE_FIELDS.has(field)) return null;
  const value = content[field];
  const render = RENDERERS[field] as ((value: unknown) => RenderedContent | null) | undefined;
  const row = render ? render(value) : { type: ownName(field), text: textOfUnknown(value) };
  if (row === null) return null;
  const node = typeof value === "object" ? (value as CommonFields) : {};
  return {
    location: null,
    contacts: null,
    poll: null,
    selected: null,
    preview: null,
    ...row,
    media: row.media ?? null,
    context: node.contextInfo ?? null,
    viewOnce: viewOnce || node.viewOnce === true,
    background: node.backgroundArgb || null,
  };
}

/** Converts `orderMessage` to `order`, and `requestPhoneNumberMessage` to `request_phone_number`. */
function ownName(field: string): string {
  return field.replace(/Messs?age(V\d+)?$/, "").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function location(at: proto.Message.ILocationMessage): RenderedContent {
  const latitude = at.degreesLatitude ?? 0;
  const longitude = at.degreesLongitude ?? 0;
  // JSON has no NaN or infinity, so coordinates with these values are dropped.
  const isPlace = Number.isFinite(latitude) && Number.isFinite(longitude);
  return {
    type: "location",
    text: at.name || at.address || at.comment || null,
    location: isPlace ? { latitude, longitude, name: at.name || null, address: at.address || null } : null,
  };
}

function contacts(cards: readonly proto.Message.IContactMessage[]): RenderedContent {
  const list = cardsOf(cards);
  return {
    type: "contact",
    text:
      list
        .map((card) => card.full_name)
        .filter(Boolean)
        .join(", ") || null,
    contacts: list,
  };
}

function poll(form: proto.Message.IPollCreationMessage): RenderedContent {
  return {
    type: "poll",
    text: form.name || null,
    poll: {
      question: form.name ?? "",
      options: (form.options ?? []).slice(0, MAX_OPTIONS).map(({ optionName }) => optionName ?? ""),
      selectable_count: form.selectableOptionsCount ?? 0,
    },
  };
}

function listResponse(rowId: string | null | undefined, title: string | null | undefined): RenderedContent {
  return { type: "list_response", text: title || null, selected: { row_id: rowId ?? "", title: title ?? "" } };
}

function buttonResponse(buttonId: string | null | undefined, title: string | null | undefined): RenderedContent {
  return { type: "button_response", text: title || null, selected: { button_id: buttonId ?? "", title: title ?? "" } };
}

// Newer clients answer lists and buttons with "native flow" JSON.
function interactiveResponse({ body, nativeFlowResponseMessage: flow }: proto.Message.IInteractiveResponseMessage): RenderedContent {
  const params = parsedObject(flow?.paramsJson);
  const id = typeof params["id"] === "string" ? params["id"] : "";
  const title = body?.text || (typeof params["title"] === "string" ? params["title"] : "");
  return flow?.name === "single_select" || flow?.name === "menu_options" ? listResponse(id, title) : buttonResponse(id, title);
}

function parsedObject(json: string | null | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json ?? "");
    return value !== null && typeof value === "object" ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

type Header = {
  imageMessage?: proto.Message.IImageMessage | null;
  videoMessage?: proto.Message.IVideoMessage | null;
  documentMessage?: proto.Message.IDocumentMessage | null;
};

function headerMedia({ imageMessage, videoMessage, documentMessage }: Header): { media?: MediaPart } {
  if (imageMessage) return { media: { family: "image", node: imageMessage } };
  if (videoMessage) return { media: { family: "video", node: videoMessage } };
  if (documentMessage) return { media: { family: "document", node: documentMessage } };
  return {};
}

const TEXT_FIELDS = ["text", "caption", "contentText", "body.text", "description", "title", "name", "message", "productName", "orderTitle"];

function textOfUnknown(value: unknown): string | null {
  for (const path of TEXT_FIELDS) {
    const found = path
      .split(".")
      .reduce<unknown>((at, key) => (at !== null && typeof at === "object" ? (at as Record<string, unknown>)[key] : undefined), value);
    if (typeof found === "string" && found !== "") return found;
  }
  return null;
}
