import * as z from "#root/src/http/openapi/zod.ts";
import { says } from "#root/src/http/openapi/documentation.ts";
import { firstCharacters } from "@gateway/domain/messages/characters.ts";
import { iso } from "#root/src/http/fields.ts";
import { isoOfMs, isoOfMsOrNull, isoOfSeconds } from "@gateway/domain/iso-times.ts";
import { type ChatRecord, OwnPresence, type PresenceRecord, type CallRecord } from "@gateway/protocol/records.ts";
import type { OperationOutput } from "@gateway/protocol/operations.ts";
import { TYPING_STATES } from "@gateway/protocol/commands.ts";
import { DAY_SECONDS, HOUR_SECONDS } from "@gateway/protocol/units.ts";
import { view } from "../responses.ts";
import { messageType, phoneOrNull, chatId } from "../fields.ts";
import { mediaUrl, phoneOf } from "../messages/view.ts";
import type { ApiStyle } from "../style.ts";
import { problem } from "#root/src/http/problems.ts";

const LAST_TEXT_CHARACTERS = 200;

export function chatView({ timestamp }: ApiStyle) {
  const lastMessage = z.object({
    message_id: z.string(),
    from_me: z.boolean(),
    type: messageType,
    text: z.string().nullable(),
    timestamp: timestamp.schema,
  });
  const Chat = z
    .object({
      chat_id: z.string(),
      kind: z.enum(["direct", "group", "channel"]),
      name: z.string().nullable(),
      phone: phoneOrNull,
      unread_count: z.number().int(),
      marked_unread: z.boolean(),
      archived: z.boolean(),
      pinned: z.boolean(),
      muted_until: z.union([iso, z.literal("always")]).nullable(),
      disappearing_seconds: z.number().int(),
      label_ids: z.array(z.string()),
      picture_url: z.string().nullable(),
      last_message: lastMessage.nullable(),
      updated_at: iso,
    })
    .openapi("Chat");
  const showLast = ({ message_id, from_me, type, text, timestamp: at }: NonNullable<ChatRecord["last_message"]>) => ({
    message_id,
    from_me,
    type,
    text: text === null ? null : firstCharacters(text, LAST_TEXT_CHARACTERS),
    timestamp: timestamp.of(at),
  });
  return view(Chat, (record: ChatRecord, context) => {
    const { chat_id, name, unread_count, marked_unread, archived, pinned, disappearing_seconds, label_ids, last_message } = record;
    return {
      chat_id,
      // Lists never contain the status feed, so its kind needs no name here.
      kind: record.kind === "status" ? "direct" : record.kind,
      name,
      phone: phoneOf(record.person),
      unread_count,
      marked_unread,
      archived,
      pinned,
      muted_until: record.muted_until === null ? null : record.muted_until === -1 ? "always" : isoOfSeconds(record.muted_until),
      disappearing_seconds,
      label_ids,
      picture_url: mediaUrl(record.picture, context),
      last_message: last_message === null ? null : showLast(last_message),
      updated_at: isoOfMs(record.updated_at),
    };
  });
}

export function presenceViews({ timestamp, ofPerson }: ApiStyle) {
  const state = z.enum(["online", "offline", "typing", "recording", "unknown"]);
  const Presence = z
    .object({
      chat_id: z.string(),
      presence: state,
      last_seen: timestamp.schema.nullable(),
      participants: z
        .array(z.object({ ...ofPerson.fields, phone: phoneOrNull, presence: state }))
        .openapi(says({ en: "In groups", pt: "Em grupos" })),
      updated_at: iso.nullable(),
      subscribed: z.boolean(),
    })
    .openapi("Presence");
  const presence = view(Presence, ({ chat_id, presence: seen, last_seen, participants, updated_at, subscribed }: PresenceRecord) => ({
    chat_id,
    presence: seen,
    last_seen: last_seen === null ? null : timestamp.of(last_seen),
    participants: participants.map((each) => ({ ...ofPerson.of(each.person), phone: phoneOf(each.person), presence: each.presence })),
    updated_at: isoOfMsOrNull(updated_at),
    subscribed,
  }));

  const OwnPresenceShown = z
    .object({
      presence: OwnPresence,
      subscriptions: z.array(z.string()).openapi(says({ en: "Subscribed chats", pt: "Conversas com presença acompanhada" })),
    })
    .openapi("OwnPresence");
  return { presence, ownPresence: view(OwnPresenceShown, (own: OperationOutput<"presence.own">) => own) };
}

/** A chat that supports typing indicators and presence: one-to-one or a group. */
export const conversationId = chatId.refine((id) => !id.endsWith("@newsletter"), problem("not_a_conversation"));

const YEAR_SECONDS = 365 * DAY_SECONDS;

export const muteBody = z.strictObject({
  duration_seconds: z
    .number()
    .int()
    .min(HOUR_SECONDS)
    .max(YEAR_SECONDS)
    .nullish()
    .openapi({ example: 28_800, ...says({ en: "Absent: permanently", pt: "Ausente: para sempre" }) }),
});

export const typingBody = z.strictObject({
  state: z.enum(TYPING_STATES),
  duration_ms: z
    .number()
    .int()
    .min(0)
    .max(25_000)
    .nullish()
    .openapi({
      example: 5_000,
      ...says({
        en: "After this time it shows that you have stopped; absent: only when you say so",
        pt: "Depois desse tempo, o aviso some; ausente: só quando você mandar parar",
      }),
    }),
});

/** The durations that the network offers: off, 24 hours, 7 days, 90 days. */
export const disappearingBody = z.strictObject({
  seconds: z.union([z.literal(0), z.literal(86_400), z.literal(604_800), z.literal(7_776_000)]).openapi({ example: 604_800 }),
});

export const ownPresenceBody = z.strictObject({ presence: OwnPresence });

export function callView({ person, timestamp }: ApiStyle) {
  const Call = z
    .object({
      call_id: z.string(),
      chat_id: z.string(),
      from: person.schema,
      phone: phoneOrNull,
      is_video: z.boolean(),
      is_group: z.boolean(),
      status: z.enum(["received", "accepted", "rejected", "missed"]),
      timestamp: timestamp.schema,
    })
    .openapi("Call");
  return view(Call, ({ from, timestamp: at, ...call }: CallRecord) => ({
    ...call,
    from: person.of(from),
    phone: phoneOf(from),
    timestamp: timestamp.of(at),
  }));
}
