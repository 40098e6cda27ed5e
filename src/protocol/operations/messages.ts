import * as z from "zod";
import { CONTENT_KINDS, FIELD_KINDS, SendContent } from "../content.ts";
import { ChatId, MessageId, Person, Phone } from "../ids.ts";
import { MessageRecord } from "../records.ts";
import { BOTH_KINDS, type ConnectionKind, SESSION_ONLY, nextCursor, nothing, type OperationRow, page } from "./row.ts";

/** A forward specifies its source, and an invitation its group. The object looks up everything else that the network needs. */
const RequestedContent = z.discriminatedUnion("kind", [
  ...SendContent.options,
  z.object({ kind: z.literal("forward_of"), chat_id: ChatId, message_id: MessageId }),
  z.object({ kind: z.literal("invite_to"), group_id: ChatId, text: z.string().nullable() }),
]);

type RequestedKind = z.infer<typeof RequestedContent>["kind"];

export const REQUESTED_KINDS: Readonly<Record<RequestedKind, readonly ConnectionKind[]>> = {
  ...CONTENT_KINDS,
  forward_of: CONTENT_KINDS.forward,
  invite_to: CONTENT_KINDS.group_invite,
};

const SendInput = z.object({
  to: Phone.nullable(),
  chat_id: ChatId.nullable(),
  content: RequestedContent,
  quoted_message_id: MessageId.nullable(),
  mentions: z.array(z.string()),
  mention_all: z.boolean(),
  reference: z.string().max(128).nullable(),
  typing_ms: z.number().int().min(0).max(25_000),
  /** An id that the caller chose (Account API). If it is null, the object chooses one. */
  message_id: z
    .string()
    .regex(/^[A-Z0-9]{16,64}$/)
    .nullable(),
  source: z.enum(["api", "dashboard"]),
  /** When the message may be sent (Unix ms). Null or absent means immediately. */
  delivery: z.object({ at: z.number().int().nullable(), until: z.number().int().nullable() }).nullish(),
});

export const SendResult = z.object({
  message_id: MessageId,
  chat_id: ChatId,
  to: z.string().nullable(),
  to_resolved: z.string().nullable(),
  is_group: z.boolean(),
  type: z.string(),
  reference: z.string().nullable(),
  /** In Unix seconds, as in `NetworkMessage`. */
  timestamp: z.number().int(),
  /** Set if the send was accepted but has to wait (Unix ms). */
  delivery: z.object({ at: z.number().int(), until: z.number().int() }).optional(),
});

const MessagesQuery = z.object({
  chat_id: ChatId.nullable(),
  ...page,
  before: z.number().int().nullable(),
  after: z.number().int().nullable(),
  from_me: z.boolean().nullable(),
  type: z.string().nullable(),
  reference: z.string().nullable(),
  status: z.string().nullable(),
  q: z.string().nullable(),
  only: z.enum(["files", "starred"]).optional(),
  /** Without a chat, lists received messages as well as sent ones. */
  both_sides: z.boolean().optional(),
});

const target = { chat_id: ChatId, message_id: MessageId };

/** `expires_at` says when the media link stops working (Unix ms). */
const DownloadableMedia = z.object({
  token: z.string(),
  mimetype: z.string(),
  filename: z.string().nullable(),
  size: z.number().int().nonnegative(),
  expires_at: z.number().int(),
});

const OptionVotes = z.object({ option: z.string(), votes: z.number().int(), voters: z.array(Person) });

export const MESSAGE_OPERATIONS = {
  /** Returns after the network's acknowledgement (docs/use/apis.md, "Sending"). */
  "messages.send": {
    role: "operator",
    kinds: BOTH_KINDS,
    contents: REQUESTED_KINDS,
    fields: FIELD_KINDS,
    resumable: true,
    filesLast: true,
    needsSubscription: true,
    input: SendInput,
    output: SendResult,
  },
  "messages.get": {
    role: "viewer",
    kinds: BOTH_KINDS,
    asStored: true,
    input: z.object({ message_id: MessageId, chat_id: ChatId.nullable() }),
    output: MessageRecord,
  },
  "messages.list": {
    role: "viewer",
    kinds: BOTH_KINDS,
    asStored: true,
    input: MessagesQuery,
    output: z.object({ items: z.array(MessageRecord), next_cursor: nextCursor }),
  },
  /** Fails with `message_not_found`, `forbidden` (another person's message), `edit_window_closed`, or `not_supported` (no text to edit). */
  "messages.edit": {
    role: "operator",
    kinds: SESSION_ONLY,
    resumable: true,
    input: z.object({ ...target, text: z.string() }),
    output: MessageRecord,
  },
  /** Deleting for everyone fails with `forbidden` or `delete_window_closed`. Otherwise, only the owner's devices delete the message. */
  "messages.delete": {
    role: "operator",
    kinds: SESSION_ONLY,
    resumable: true,
    input: z.object({ ...target, for_everyone: z.boolean() }),
    output: nothing,
  },
  "messages.react": {
    role: "operator",
    kinds: BOTH_KINDS,
    resumable: true,
    input: z.object({ ...target, reaction: z.string() }),
    output: nothing,
  },
  "messages.star": { role: "operator", kinds: SESSION_ONLY, input: z.object({ ...target, star: z.boolean() }), output: nothing },
  "messages.pin": {
    role: "operator",
    kinds: SESSION_ONLY,
    resumable: true,
    input: z.object({ ...target, seconds: z.number().int().nullable() }),
    output: nothing,
  },
  /** Downloads the file again if it is no longer stored. Fails with `message_not_found` or `media_expired`. */
  "messages.media": { role: "viewer", kinds: BOTH_KINDS, input: z.object(target), output: DownloadableMedia },
  "messages.votes": { role: "viewer", kinds: SESSION_ONLY, input: z.object(target), output: z.object({ items: z.array(OptionVotes) }) },
  /** Deletes all messages of a chat on the owner's devices. Fails with `chat_not_found`. */
  "messages.clear": { role: "operator", kinds: BOTH_KINDS, input: z.object({ chat_id: ChatId }), output: nothing },
} as const satisfies Record<string, OperationRow>;

export const UPLOAD_OPERATIONS = {
  /** Call it before the file is stored, and again if its size differs or it could not be stored. Fails with `upload_limit`. */
  "uploads.claim": {
    role: "operator",
    kinds: BOTH_KINDS,
    needsSubscription: true,
    input: z.object({ token: z.string(), bytes: z.number().int().min(0) }),
    output: nothing,
  },
} as const satisfies Record<string, OperationRow>;
