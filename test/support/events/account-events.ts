// Checks Account API event bodies against their documented schemas, plus cross-field rules that a schema cannot express.
import { type AccountEventType, accountEventSchema } from "#root/src/api/events/account/events.ts";

const CHAT = /^([1-9]\d{6,14}@c\.us|[\d-]{5,40}@g\.us)$/;
/** Chat ids of the account's own posts. */
const POSTS = /^(\d{5,40}@newsletter|status@broadcast)$/;
const DIRECT = /^[1-9]\d{6,14}@c\.us$/;
const MEDIA_URL = /\/api\/midia\/\w+\.\w+$/;
const SUFFIX = "@s.whatsapp.net";

type Rule = readonly [what: string, holds: (data: any) => boolean];

const knownChat: Rule = ["the chat is a person's or a group's", ({ chat_id }) => CHAT.test(chat_id)];
const ownChat: Rule = ["the chat can be written to", ({ chat_id }) => CHAT.test(chat_id) || POSTS.test(chat_id)];
const link: Rule = ["the link is one to a file", ({ media }) => media === null || MEDIA_URL.test(media.url)];
const notToAGroup: Rule = ["nobody is the recipient in a group", ({ chat_id, to }) => !(chat_id.endsWith("@g.us") && to !== null)];
const hasReason: Rule = ["there is a reason", ({ reason }) => reason !== null];
const suffix: Rule = [
  "people have the network's suffix",
  (data) =>
    [data.from, data.to, data.participant, data.by, data.quoted?.from, ...(data.mentions ?? [])].every(
      (each) => each?.endsWith(SUFFIX) ?? true,
    ),
];

const RULES: Partial<Record<AccountEventType, readonly Rule[]>> = {
  "message.received": [
    knownChat,
    link,
    ["is_group fits chat_id", ({ chat_id, is_group }) => chat_id.endsWith("@g.us") === is_group],
    ["the participant is the sender in a group", ({ is_group, from, participant }) => participant === (is_group ? from : null)],
  ],
  "message.sent": [ownChat, link, notToAGroup],
  "message.delivered": [ownChat],
  "message.read": [ownChat],
  "message.failed": [ownChat],
  "message.reaction": [knownChat],
  "group.joined": [hasReason],
  "group.left": [hasReason],
  "contact.created": [
    ["it is a person's chat", ({ contact_id }) => DIRECT.test(contact_id)],
    ["the phone is known", ({ phone_number }) => phone_number !== null],
  ],
};

/** Matches the whole body of an event of this type. */
export function accountEvent<T extends AccountEventType>(type: T) {
  return accountEventSchema(type).superRefine(({ data }, context) => {
    const broken = [...(RULES[type] ?? []), suffix].filter(([, holds]) => !holds(data));
    for (const [what] of broken) context.addIssue({ code: "custom", message: `not so: ${what}` });
  });
}
