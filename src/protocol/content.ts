// The content of a send. The object stores it before calling the bridge, which converts it to the network's form.
import * as z from "zod";
import { ChatId, type ChatKind, chatKind, MessageId, Person } from "./ids.ts";
import { ContactCard, Location, Poll } from "./message.ts";
import { BOTH_KINDS, CLOUD_ONLY, type FieldRules, isSet, type ConnectionKind, SESSION_ONLY } from "./operations/row.ts";

/** A file in R2, which the bridge fetches by token over the internal media link. */
export const MediaRef = z.object({
  token: z.string(),
  mimetype: z.string(),
  filename: z.string().nullable(),
  size: z.number().int().nonnegative(),
});
export type MediaRef = z.infer<typeof MediaRef>;

/** `place` is the index in the result of `StoreFiles`. The real reference replaces this one before the object stores or sends anything. */
export const pendingMedia = (place: number): MediaRef => ({ token: `pending:${place}`, mimetype: "", filename: null, size: 0 });

export function pendingPlace(value: unknown): number | null {
  const token = typeof value === "object" && value !== null && "token" in value ? value.token : null;
  const place = typeof token === "string" ? /^pending:(\d+)$/.exec(token)?.[1] : undefined;
  return place === undefined ? null : Number(place);
}

/** The target message of an action, with the data that the network needs to find it. */
export const MessageRef = z.object({
  chat_id: ChatId,
  message_id: MessageId,
  from_me: z.boolean(),
  participant: Person.nullable(),
});
export type MessageRef = z.infer<typeof MessageRef>;

const caption = z.string().nullable();

const Header = z.union([z.string(), MediaRef]).nullable();

/** The API that receives the request checks the limits (65,536 code points, 1,024 code points, …). */
export const SendContent = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("text"),
    text: z.string(),
    preview: z.object({ url: z.string(), title: z.string(), description: z.string().nullable(), image: MediaRef.nullable() }).nullable(),
  }),
  z.object({ kind: z.literal("image"), media: MediaRef, caption, view_once: z.boolean() }),
  z.object({ kind: z.literal("video"), media: MediaRef, caption, view_once: z.boolean(), as_note: z.boolean(), as_gif: z.boolean() }),
  z.object({ kind: z.literal("audio"), media: MediaRef }),
  z.object({ kind: z.literal("voice"), media: MediaRef, convert: z.boolean() }),
  z.object({ kind: z.literal("document"), media: MediaRef, caption }),
  z.object({ kind: z.literal("sticker"), media: MediaRef }),
  z.object({ kind: z.literal("location"), location: Location }),
  z.object({ kind: z.literal("contact"), contacts: z.array(ContactCard) }),
  z.object({ kind: z.literal("poll"), poll: Poll }),
  z.object({
    kind: z.literal("event"),
    name: z.string(),
    description: z.string().nullable(),
    starts_at: z.number().int(),
    ends_at: z.number().int().nullable(),
    location: Location.nullable(),
    extra_guests: z.boolean(),
    cancelled: z.boolean(),
  }),
  z.object({ kind: z.literal("group_invite"), group_id: ChatId, subject: z.string(), text: z.string().nullable() }),
  z.object({ kind: z.literal("forward"), raw: z.string() }),
  z.object({ kind: z.literal("reaction"), target: MessageRef, reaction: z.string() }),
  z.object({ kind: z.literal("edit"), target: MessageRef, text: z.string() }),
  z.object({ kind: z.literal("delete"), target: MessageRef }),
  z.object({ kind: z.literal("pin"), target: MessageRef, seconds: z.number().int().nullable() }),
  z.object({ kind: z.literal("disappearing"), seconds: z.number().int() }),
  z.object({
    kind: z.literal("list"),
    body: z.string(),
    header: z.string().nullable(),
    footer: z.string().nullable(),
    button: z.string(),
    sections: z.array(
      z.object({
        title: z.string(),
        rows: z.array(z.object({ row_id: z.string(), title: z.string(), description: z.string().nullable() })),
      }),
    ),
  }),
  z.object({
    kind: z.literal("buttons"),
    body: z.string(),
    header: Header,
    footer: z.string().nullable(),
    buttons: z.array(z.object({ button_id: z.string(), title: z.string() })),
  }),
  /** `components` is JSON that is passed through unchanged. */
  z.object({ kind: z.literal("template"), name: z.string(), language: z.string(), components: z.string().nullable() }),
]);
export type SendContent = z.infer<typeof SendContent>;

/** Sessions send no lists, buttons or templates, because many recipients cannot see them. */
export const CONTENT_KINDS: Readonly<Record<SendContent["kind"], readonly ConnectionKind[]>> = {
  text: BOTH_KINDS,
  image: BOTH_KINDS,
  video: BOTH_KINDS,
  audio: BOTH_KINDS,
  voice: BOTH_KINDS,
  document: BOTH_KINDS,
  sticker: BOTH_KINDS,
  location: BOTH_KINDS,
  contact: BOTH_KINDS,
  reaction: BOTH_KINDS,
  poll: SESSION_ONLY,
  event: SESSION_ONLY,
  group_invite: SESSION_ONLY,
  forward: SESSION_ONLY,
  edit: SESSION_ONLY,
  delete: SESSION_ONLY,
  pin: SESSION_ONLY,
  disappearing: SESSION_ONLY,
  list: CLOUD_ONLY,
  buttons: CLOUD_ONLY,
  template: CLOUD_ONLY,
};

export const RECIPIENT_KINDS: Readonly<Record<ChatKind, readonly ConnectionKind[]>> = {
  direct: BOTH_KINDS,
  group: BOTH_KINDS,
  channel: SESSION_ONLY,
  status: SESSION_ONLY,
};

const ofSessions = { kinds: SESSION_ONLY, isUsed: isSet };

export const FIELD_KINDS = {
  mentions: ofSessions,
  mention_all: ofSessions,
  view_once: ofSessions,
  as_note: ofSessions,
  as_gif: ofSessions,
  preview: ofSessions,
  typing_ms: ofSessions,
  message_id: ofSessions,
  chat_id: {
    kinds: SESSION_ONLY,
    partly: true,
    isUsed: (chatId) => typeof chatId === "string" && !RECIPIENT_KINDS[chatKind(chatId)].includes("cloud_api"),
  },
} as const satisfies FieldRules;

/** One send, as the outbox stores it and the bridge receives it. `raw` values are base64. */
export const SendRequest = z.object({
  /** Chosen before the first attempt and the same on every attempt (docs/internals/sends.md, "Steps of a send"). */
  message_id: MessageId,
  chat_id: ChatId,
  content: SendContent,
  quoted: z.object({ raw: z.string(), ref: MessageRef }).nullable(),
  mentions: z.array(Person),
  mention_all: z.boolean(),
  typing_ms: z.number().int().nonnegative(),
  /** The timer of a one-to-one chat. Absent if there is none. A bridge knows only timers that it has seen since it started. */
  disappearing_seconds: z.number().int().positive().optional(),
  /** Only for status posts. `background` is ARGB, and `recipients` may see the post. */
  status: z.object({ background: z.number().int().nullable(), font: z.number().int().nullable(), recipients: z.array(Person) }).nullable(),
});
export type SendRequest = z.infer<typeof SendRequest>;
