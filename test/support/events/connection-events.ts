// Checks Connection API event bodies against their documented schemas, plus cross-field rules that a schema cannot express.
import { type ConnectionEventType, connectionEventSchema } from "#root/src/api/events/connection/events.ts";
import { MESSAGE_TYPES } from "@gateway/protocol/message.ts";

const CHAT = /^([1-9]\d{6,14}@c\.us|[\d-]{5,40}@g\.us)$/;
/** Chat ids of the number's own posts. */
const POSTS = /^(\d{5,40}@newsletter|status@broadcast)$/;
const MEDIA_TYPES = new Set(["image", "video", "audio", "voice", "document", "sticker"]);
const MEDIA_URL = /\/api\/midia\/\w+\.\w+$/;

type Rule = readonly [what: string, holds: (data: any) => boolean];

const knownChat: Rule = ["the chat is a person's or a group's", ({ chat_id }) => CHAT.test(chat_id)];
const ownChat: Rule = ["the chat can be written to", ({ chat_id }) => CHAT.test(chat_id) || POSTS.test(chat_id)];
const groupFits: Rule = ["is_group fits chat_id", ({ chat_id, is_group }) => chat_id.endsWith("@g.us") === is_group];
const place: readonly Rule[] = [knownChat, groupFits];
const ownPlace: readonly Rule[] = [ownChat, groupFits];
const isToOne = ({ chat_id, is_group }: any): boolean => !is_group && !POSTS.test(chat_id);

function choiceOf(selected: object | undefined): string | null {
  if (selected === undefined) return null;
  return "row_id" in selected ? "list_response" : "button_response";
}

const message: readonly Rule[] = [
  ["the type has a documented name", ({ type }) => (MESSAGE_TYPES as readonly string[]).includes(type)],
  ["a file where there must be one and nowhere else", ({ type, media }) => (media !== null) === MEDIA_TYPES.has(type)],
  // The URL is null if the wait for the file timed out (docs/internals/incoming-messages.md, "Inbound files").
  ["the link is one to a file", ({ media }) => media === null || media.url === null || MEDIA_URL.test(media.url)],
  ["a choice where one was made", ({ type, selected }) => choiceOf(selected) === (/^(list|button)_response$/.test(type) ? type : null)],
];

const RULES: Partial<Record<ConnectionEventType, readonly Rule[]>> = {
  "message.received": [...place, ...message],
  "message.sent": [
    ...ownPlace,
    ...message,
    ["to is the chat's", (data) => (isToOne(data) ? `${data.to}@c.us` === data.chat_id : data.to === null)],
  ],
  "message.status": [
    ...ownPlace,
    ["to is known one-to-one and nobody elsewhere", (data) => (data.to !== null) === isToOne(data)],
    ["phone comes in groups", (data) => "phone" in data === data.is_group],
    ["error comes with failed", (data) => "error" in data === (data.status === "failed")],
  ],
  "message.reaction": place,
  "message.edited": place,
  "message.deleted": ownPlace,
  "group.updated": [["something changed", ({ changed }) => Object.keys(changed).length > 0]],
  call: place,
  "poll.vote": place,
  presence: place,
  "label.updated": [["the colour is known", ({ color_hex }) => color_hex !== null]],
  "label.chat.added": [knownChat],
  "label.chat.removed": [knownChat],
};

/** Matches the whole body of an event of this type. */
export function connectionEvent<T extends ConnectionEventType>(type: T) {
  return connectionEventSchema(type).superRefine(({ created_at, data }, context) => {
    const { timestamp } = data as { timestamp: number };
    const broken = (RULES[type] ?? []).filter(([, holds]) => !holds(data)).map(([what]) => what);
    // Rejects milliseconds and invented values.
    if (timestamp < 1_500_000_000 || timestamp > 4_000_000_000) broken.push("timestamp is in Unix seconds");
    if (Math.floor(Date.parse(created_at) / 1_000) !== timestamp) broken.push("created_at is when it happened");
    for (const what of broken) context.addIssue({ code: "custom", message: `not so: ${what}` });
  });
}
