// Schemas of the control API's bodies (docs/use/sandbox.md, "Control API").
import * as z from "zod";
import { ChatId, Phone } from "@gateway/protocol/ids.ts";
import { CLOSE_CODES, FAULT_KINDS } from "../faults.ts";
import { Passkey } from "../pairing/passkey-ceremony.ts";

export const Chat = z.union([ChatId, Phone]);
const MessageId = z.string().min(1).max(256);
/** Longer than official clients allow, because other clients send longer texts. */
const Text = z.string().max(4_000_000);

export const NewPhoneBody = z.object({
  phone: Phone,
  name: z.string().min(1).max(100).optional(),
  business: z.boolean().optional(),
  salt: z.enum(["app_state", "history", "none"]).optional(),
});

const COLLECTIONS = ["critical_block", "critical_unblock_low", "regular_high", "regular_low", "regular"] as const;

export const OptionsBody = z.object({
  receipts: z.enum(["none", "delivered", "read", "played"]).optional(),
  online: z.boolean().optional(),
  reply: z.literal("echo").nullable().optional(),
  history: z.enum(["all", "files", "none"]).optional(),
  name: Text.min(1).optional(),
  about: Text.optional(),
  lid_only: z.boolean().optional(),
  /** If true, hides the number's LID from clients. If false, moves the number to its LID. */
  phone_only: z.boolean().optional(),
  hides_number: z.boolean().optional(),
  passkey: Passkey.nullable().optional(),
  /** The phone encrypts changes of this collection with a key that it withholds from linked devices. Null shares the key. */
  withheld_key: z.enum(COLLECTIONS).nullable().optional(),
  needs_token: z.boolean().optional(),
  /** Unix seconds until which linked devices cannot start chats. Null lifts the restriction. */
  restricted_until: z.number().int().min(1).nullable().optional(),
  /** The network's limit on new chats. Null restores the default. */
  new_chat_quota: z
    .object({
      total: z.number().int().min(0),
      used: z.number().int().min(0),
      status: z.enum(["NONE", "FIRST_WARNING", "SECOND_WARNING", "CAPPED"]).default("NONE"),
      ends_at: z.number().int().min(0).default(0),
    })
    .nullable()
    .optional(),
});

export const ScanBody = z.object({ qr: z.string().min(1).max(4096) });
export const UnlinkBody = z.object({ device: z.number().int().min(1).optional() });
export const CodeBody = z.object({ code: z.string().min(8).max(20) });

const MediaBody = z.object({
  base64: z.base64(),
  mimetype: Text.min(1),
  filename: Text.min(1).optional(),
  seconds: z.number().int().min(1).max(86_400).optional(),
  /** Wrong data, as a dishonest phone might send it: a different location for the file, no key, or no hash. */
  url: z.string().max(4096).optional(),
  direct_path: z.string().max(4096).optional(),
  plain: z.boolean().optional(),
  unhashed: z.boolean().optional(),
});
const LocationBody = z.object({
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
  name: Text.optional(),
  address: Text.optional(),
});
const ContactBody = z.object({ full_name: Text.min(1), phone: Phone, vcard: Text.optional() });
const PollBody = z.object({
  question: Text.min(1),
  options: z.array(Text.min(1)).min(2).max(12),
  selectable_count: z.number().int().min(0).max(12).default(1),
});
const ListBody = z.object({
  title: z.string().min(1).max(60),
  text: z.string().min(1).max(1024),
  button: z.string().min(1).max(20),
  rows: z
    .array(z.object({ id: z.string().min(1).max(200), title: z.string().min(1).max(24) }))
    .min(1)
    .max(10),
});

export const SEND_TYPES = [
  "text",
  "image",
  "video",
  "audio",
  "voice",
  "document",
  "sticker",
  "location",
  "contact",
  "poll",
  "list",
  "list_response",
  "button_response",
] as const;

export const SendBody = z
  .object({
    to: Phone.optional(),
    chat_id: Chat.optional(),
    type: z.enum(SEND_TYPES).optional(),
    text: Text.min(1).optional(),
    caption: Text.optional(),
    media: MediaBody.optional(),
    location: LocationBody.optional(),
    contact: z.union([ContactBody, z.array(ContactBody).min(1).max(20)]).optional(),
    poll: PollBody.optional(),
    list: ListBody.optional(),
    selected: z.object({ id: Text.min(1), title: Text.min(1) }).optional(),
    quoted_id: MessageId.optional(),
    withheld: z.enum(["ad", "view_once"]).optional(),
    context_beside: z.boolean().optional(),
    counter_forgotten: z.boolean().optional(),
    view_once: z.boolean().default(false),
    mentions: z.array(Phone).max(256).optional(),
    /** Style of a status post with text. `background` is #AARRGGBB. */
    style: z.object({ background: z.string().regex(/^#[0-9a-fA-F]{8}$/), font: z.number().int().min(0).max(9).default(0) }).optional(),
    /** A description of a link in the text. `thumbnail` is a JPEG in base64. */
    link_preview: z.object({ url: Text.min(1), title: Text, description: Text.optional(), thumbnail: z.base64().optional() }).optional(),
    audience: z.array(Phone).max(2000).optional(),
  })
  .refine(({ to, chat_id }) => (to === undefined) !== (chat_id === undefined), "exactly one of to and chat_id");

const target = { chat_id: Chat, message_id: MessageId };
export const ReactBody = z.object({ ...target, reaction: z.string().max(32) });
export const EditBody = z.object({ ...target, text: z.string().min(1).max(65_536) });
export const DeleteBody = z.object(target);
export const VoteBody = z.object({ ...target, options: z.array(z.string()).max(12) });
export const EventAnswerBody = z.object({ ...target, coming: z.boolean() });
export const PinBody = z.object({ ...target, pinned: z.boolean().default(true) });
export const StarBody = z.object({ ...target, starred: z.boolean().default(true) });
export const ChatBody = z.object({ chat_id: Chat });
export const PlayedBody = z.object({ chat_id: Chat, message_id: MessageId.optional() });

export const PresenceBody = z
  .object({ presence: z.enum(["online", "offline", "typing", "paused", "recording"]), chat_id: Chat.optional() })
  .refine(
    ({ presence, chat_id }) => chat_id !== undefined || presence === "online" || presence === "offline",
    "chat_id is needed to type in",
  );

export const CallBody = z.object({ to: Phone, video: z.boolean().default(false) });

const participants = z.array(Phone).max(1_024);
export const NewGroupBody = z.object({ subject: z.string().min(1).max(100), participants });
export const MembersBody = z.object({ participants: participants.min(1) });
export const SubjectBody = z.object({ subject: Text.min(1) });
export const DescriptionBody = z.object({ description: Text });
export const GroupSettingsBody = z.object({
  announce: z.boolean().optional(),
  locked: z.boolean().optional(),
  join_approval: z.boolean().optional(),
  member_add_mode: z.enum(["admin_add", "all_member_add"]).optional(),
  disappearing_seconds: z.number().int().min(0).optional(),
  community: z
    .object({ parent: z.string().endsWith("@g.us"), announcements: z.boolean(), hides_members: z.boolean() })
    .nullable()
    .optional(),
});
export const JoinBody = z.object({
  invite_code: z
    .string()
    .min(1)
    .max(256)
    .transform((code) => code.replace(/^.*\//, "")),
});

export const LabelBody = z.object({
  label_id: z.string().regex(/^\d{1,10}$/),
  name: z.string().min(1).max(100),
  color: z.number().int().min(0).max(19),
  deleted: z.boolean().default(false),
});
export const LabelChatBody = z.object({ chat_id: Chat, labelled: z.boolean() });

export const ChatChangeBody = z.object({
  archived: z.boolean().optional(),
  pinned: z.boolean().optional(),
  muted_until: z.number().int().positive().nullable().optional(),
  unread: z.boolean().optional(),
});
export const ContactNameBody = z.object({ full_name: z.string().min(1).max(256).nullable() });
export const BlockBody = z.object({ phone: Phone, blocked: z.boolean().default(true) });
/** Accepts any strings, because the network validates names and values. */
export const PrivacyBody = z.record(z.string().max(32), z.string().max(32));
export const PictureBody = z.object({ base64: z.base64().nullable() });
export const ForgetBody = z.object({ phone: Phone });

export const HistoryBody = z.object({
  chat_id: Chat,
  messages: z
    .array(
      z.object({
        text: z.string().min(1).max(65_536),
        timestamp: z.number().int().positive(),
        from_me: z.boolean().default(false),
        from: Phone.optional(),
        message_id: MessageId.optional(),
        read: z.boolean().default(true),
      }),
    )
    .min(1)
    .max(5000),
});

export const NewChannelBody = z.object({ name: z.string().min(1).max(100), description: z.string().max(2048).default("") });
export const FollowBody = z.object({ follow: z.boolean().default(true) });

export const ExpireBody = z.object({ status: z.union([z.literal(403), z.literal(404), z.literal(410)]).optional() });

export const NetworkBody = z.object({
  /** Rejects the next `times` upgrades with `status`. Null accepts all. */
  refused_upgrades: z
    .object({ status: z.number().int().min(400).max(599).default(503), times: z.number().int().min(1).default(1) })
    .nullable()
    .optional(),
  /** Clients below this version are `stale`. Null accepts all. */
  min_version: z
    .string()
    .regex(/^\d+\.\d+\.\d+$/)
    .nullable()
    .optional(),
  stale: z.enum(["refused", "unlinkable"]).optional(),
  /** The version that the web client's page contains. If null, the page contains the minimum version, or the library's own. */
  served_version: z
    .string()
    .regex(/^2\.3000\.\d+$/)
    .nullable()
    .optional(),
});

export const MediaHostBody = z.object({
  trouble: z
    .discriminatedUnion("kind", [
      z.object({ kind: z.enum(["down", "forbidden", "silent", "drip"]) }),
      z.object({ kind: z.literal("cut"), times: z.number().int().min(1).max(10_000).optional() }),
      z.object({ kind: z.literal("redirect"), location: z.string().min(1).max(4096) }),
    ])
    .nullable(),
});

export const FaultBody = z
  .object({
    phone: Phone,
    kind: z.enum(FAULT_KINDS),
    times: z.number().int().min(1).max(10_000).optional(),
    code: z.number().int().min(100).max(999).optional(),
    ms: z.number().int().min(1).max(60_000).optional(),
    xmlns: z.string().max(64).optional(),
    word: z
      .string()
      .regex(/^[a-z-]{0,40}$/)
      .optional(),
    expire: z.number().int().min(0).optional(),
    reason: z.number().int().min(0).optional(),
    collection: z.enum(COLLECTIONS).optional(),
  })
  .refine(
    ({ kind, code }) => kind !== "close" || code === undefined || CLOSE_CODES.some((one) => one === code),
    `code of a close is one of ${CLOSE_CODES.join(", ")}`,
  )
  .refine(({ kind, ms }) => kind !== "delay" || ms !== undefined, "a delay needs ms");
