// The Connection API never shows an internal id such as `…@lid` (docs/use/events.md, "Fields of events").
import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { isMediaPurged, mediaLink } from "@gateway/domain/media/media-link.ts";
import { iso } from "#root/src/http/fields.ts";
import { isoOfMsOrNull, isoOfMs } from "@gateway/domain/iso-times.ts";
import type { Person } from "@gateway/protocol/ids.ts";
import { Location, Poll, Selected, type StoredMedia } from "@gateway/protocol/message.ts";
import type { OperationOutput } from "@gateway/protocol/operations.ts";
import { MESSAGE_STATUSES, type MessageRecord, type StatusPostRecord } from "@gateway/protocol/records.ts";
import { done, one, type RenderContext, type Rendered, view, type View } from "../responses.ts";
import { EXAMPLE } from "../example-values.ts";
import { messageType, phoneOrNull } from "../fields.ts";
import type { ApiStyle } from "../style.ts";
import { hexOf } from "@gateway/domain/colors.ts";

export function phoneOf(person: Person | null): string | null {
  return person?.phone ?? null;
}

/** Also returns null if the stored file has expired. */
export function mediaUrl(media: StoredMedia | null, { appUrl }: RenderContext): string | null {
  if (media === null || media.token === null || isMediaPurged(media.token, Date.now())) return null;
  return mediaLink(appUrl, media.token, media.mimetype);
}

export function mediaView({ ofMedia }: ApiStyle) {
  const Media = z
    .object({
      url: z.string().nullable(),
      mimetype: z.string(),
      filename: z.string().nullable(),
      size: z.number().nullable(),
      duration_seconds: z.number().nullable(),
      width: z.number().nullable(),
      height: z.number().nullable(),
      ...ofMedia.fields,
    })
    .openapi("Media");
  return view(Media, (media: StoredMedia, context) => {
    const { mimetype, filename, size, duration_seconds, width, height } = media;
    return { url: mediaUrl(media, context), mimetype, filename, size, duration_seconds, width, height, ...ofMedia.of(media) };
  });
}

const EXAMPLE_AT = "2030-01-15T17:00:00.000Z";
const EXAMPLE_UNTIL = "2030-01-16T17:00:00.000Z";

const receiptTimes = { delivered_at: iso.nullable(), read_at: iso.nullable(), played_at: iso.nullable() };

export function messageViews(style: ApiStyle) {
  const { person, timestamp, failure, ofMessage } = style;
  const media = mediaView(style);
  const quoted = z.object({ message_id: z.string(), from: person.schema, text: z.string().nullable(), type: messageType });
  const Message = z
    .object({
      message_id: z.string(),
      chat_id: z.string(),
      from: person.schema,
      to: person.schema,
      ...ofMessage.fields,
      from_me: z.boolean(),
      is_group: z.boolean(),
      push_name: z.string().nullable(),
      type: messageType,
      text: z.string().nullable(),
      media: media.schema.nullable(),
      location: Location.nullable(),
      contacts: z.array(z.object({ full_name: z.string(), phone: phoneOrNull, vcard: z.string() })).nullable(),
      poll: Poll.nullable(),
      selected: Selected.nullable(),
      quoted: quoted.nullable(),
      mentions: z.array(z.string()),
      reactions: z.array(z.object({ from: person.schema, from_me: z.boolean(), reaction: z.string(), timestamp: timestamp.schema })),
      forwarded: z.boolean(),
      view_once: z.boolean(),
      starred: z.boolean(),
      status: z.enum(MESSAGE_STATUSES).nullable(),
      error: failure.schema.nullable(),
      source: z.enum(["api", "dashboard", "phone"]).nullable(),
      reference: z.string().nullable(),
      edited_at: iso.nullable(),
      deleted_at: iso.nullable(),
      timestamp: timestamp.schema,
    })
    .openapi("Message");

  const showQuoted = ({ message_id, from, text, type }: NonNullable<MessageRecord["quoted"]>) => ({
    message_id,
    from: person.of(from),
    text,
    type,
  });

  const message = view(Message, (record: MessageRecord, context) => {
    const isGroup = record.chat_id.endsWith("@g.us");
    return {
      message_id: record.message_id,
      chat_id: record.chat_id,
      from: person.of(record.sender),
      to: isGroup ? null : person.of(record.recipient),
      ...ofMessage.of(record),
      from_me: record.from_me,
      is_group: isGroup,
      push_name: record.push_name,
      type: record.type,
      text: record.text,
      media: record.media === null ? null : media.show(record.media, context),
      location: record.location,
      contacts: record.contacts,
      poll: record.poll,
      selected: record.selected,
      quoted: record.quoted === null ? null : showQuoted(record.quoted),
      mentions: record.mentions.map(person.of).filter((id) => id !== null),
      reactions: record.reactions.map(({ sender, from_me, reaction, timestamp: at }) => ({
        from: person.of(sender),
        from_me,
        reaction,
        timestamp: timestamp.of(at),
      })),
      forwarded: record.forwarded,
      view_once: record.view_once,
      starred: record.starred,
      status: record.status,
      error: record.failure === null ? null : failure.of(record.failure.code),
      source: record.source,
      reference: record.reference,
      edited_at: isoOfMsOrNull(record.edited_at),
      deleted_at: isoOfMsOrNull(record.deleted_at),
      timestamp: timestamp.of(record.timestamp),
    };
  });

  /** A message that is read by id also has its delivery times. In groups, it has them for each participant. */
  const MessageDetail = Message.extend({
    timeline: z.object({ accepted_at: iso.nullable(), ...receiptTimes }),
    receipts: z.array(z.object({ participant: person.schema, ...receiptTimes })).optional(),
  }).openapi("MessageDetail");

  const messageDetail = view(MessageDetail, (record: MessageRecord, context) => {
    const { accepted_at, ...times } = record.timeline;
    return {
      ...message.show(record, context),
      timeline: { accepted_at: isoOfMsOrNull(accepted_at), ...showReceiptTimes(times) },
      ...(record.receipts === undefined
        ? {}
        : {
            receipts: record.receipts.map(({ participant, ...receipt }) => ({
              participant: person.of(participant),
              ...showReceiptTimes(receipt),
            })),
          }),
    };
  });

  const votes = view(
    z.object({ option: z.string(), votes: z.number().int(), voters: z.array(person.schema) }),
    ({ option, votes: count, voters }: OperationOutput<"messages.votes">["items"][number]) => ({
      option,
      votes: count,
      voters: voters.map(person.of),
    }),
  );

  const edited: Rendered<MessageRecord> = style.returnsEdits ? one(message) : done;

  return { media, message, messageDetail, edited, votes, sent: sentView(style), waits: acceptedView(style) };
}

function showReceiptTimes(times: { delivered_at: number | null; read_at: number | null; played_at: number | null }) {
  return {
    delivered_at: isoOfMsOrNull(times.delivered_at),
    read_at: isoOfMsOrNull(times.read_at),
    played_at: isoOfMsOrNull(times.played_at),
  };
}

function sentView({ timestamp, sent }: ApiStyle) {
  const SendResult = z
    .object({
      message_id: z.string(),
      chat_id: z.string(),
      to: phoneOrNull,
      to_resolved: phoneOrNull,
      is_group: z.boolean(),
      type: messageType,
      status: z.literal("sent"),
      reference: z.string().nullable(),
      timestamp: timestamp.schema,
    })
    .openapi("SendResult");
  const render = (result: OperationOutput<"messages.send">) => {
    const { message_id, chat_id, to, to_resolved, is_group, type, reference, timestamp: at } = result;
    const shown: z.input<typeof SendResult> = {
      message_id,
      chat_id,
      to,
      to_resolved,
      is_group,
      type,
      status: "sent",
      reference,
      timestamp: timestamp.of(at),
    };
    return sent.of(shown);
  };
  return { response: sent.schema(SendResult), render };
}

function acceptedView({ sent }: ApiStyle) {
  const Accepted = z
    .object({
      message_id: z.string(),
      status: z.literal("waiting").openapi(says({ en: "The send is waiting for its time", pt: "O envio está na fila" })),
      at: iso.openapi(says({ en: "When it will be sent", pt: "Quando será enviada" })),
      until: iso.openapi(says({ en: "It is never sent after this time", pt: "Depois deste horário, ela não é mais enviada" })),
    })
    .openapi("AcceptedSend", { example: { message_id: EXAMPLE.message, status: "waiting", at: EXAMPLE_AT, until: EXAMPLE_UNTIL } });
  return {
    accepted: {
      response: sent.schema(Accepted),
      of: ({ message_id, delivery }: OperationOutput<"messages.send">) => {
        if (delivery === undefined) return null;
        const shown: z.input<typeof Accepted> = {
          message_id,
          status: "waiting",
          at: isoOfMs(delivery.at),
          until: isoOfMs(delivery.until),
        };
        return sent.of(shown) as object;
      },
    },
  };
}

export function statusPostView({ person, timestamp }: ApiStyle, media: View<StoredMedia>) {
  const StatusPost = z
    .object({
      message_id: z.string(),
      from: person.schema,
      phone: phoneOrNull,
      type: messageType,
      text: z.string().nullable(),
      media: media.schema.nullable(),
      background_color: z.string().nullable().openapi({ example: "#1F7A5C" }),
      timestamp: timestamp.schema,
      expires_at: iso,
    })
    .openapi("StatusPost");
  return view(StatusPost, (record: StatusPostRecord, context) => {
    const { message_id, sender, type, text, media: file, background, timestamp: at, expires_at } = record;
    return {
      message_id,
      from: person.of(sender),
      phone: phoneOf(sender),
      type,
      text,
      media: file === null ? null : media.show(file, context),
      background_color: background === null ? null : hexOf(background),
      timestamp: timestamp.of(at),
      expires_at: isoOfMs(expires_at),
    };
  });
}
