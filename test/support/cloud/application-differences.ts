// Every difference that a program sees between a paired number and a Cloud API number. docs/use/cloud-api.md, "Differences for an
// application", has the same rows; `seen` is how the journey detects each.

export type ApplicationDifference = { what: string; session: string; cloud: string; why: string; seen: readonly string[] };

const REFUSED = "200, 501 nao_suportado";
const ONLY_SESSIONS = [
  "check the number",
  "delete a message",
  "edit a message",
  "list the channels",
  "mark as unread",
  "read what the contact says of itself",
  "send a mention",
  "send a poll",
  "set the presence",
  "show recording",
  "star a message",
];

export const APPLICATION_DIFFERENCES: readonly ApplicationDifference[] = [
  {
    what: "a message to a person who has not written in the last 24 hours",
    session: "arrives",
    cloud: "200, then a `message.status` event with `failed` and `fora_da_janela`; only templates arrive",
    why: "Meta enforces its service window, often only after it has accepted the message",
    seen: [
      'what became of it status: "delivered", "failed"',
      "what became of it error: absent, object",
      "told of write first: message.status delivered: yes, no",
      "told of write first: message.status read: yes, no",
      "told of write first: message.status failed: no, yes",
      'read the chat\'s messages data[].status: "delivered"|"read"|null, "delivered"|"failed"|"read"|null',
      "read the chat's messages data[].error: null, null|object",
    ],
  },
  {
    what: "polls, mentions, edits, deletions, stars, marking a chat as unread, recording, own presence, a contact's about text, channels, number checks",
    session: "200, and the matching events",
    cloud: "501 `nao_suportado`, no event",
    why: "the Cloud API has no equivalent",
    seen: [
      ...ONLY_SESSIONS.map((step) => `${step}: ${REFUSED}`),
      "told of send a text: message.edited: yes, no",
      "told of send a text: message.deleted: yes, no",
      "event message.sent text data[].mentions[]: string, absent",
    ],
  },
  {
    what: "pictures of contacts, labels",
    session: "404 `foto_nao_encontrada` without a picture; labels require a business account, else 403 `exige_conta_comercial`",
    cloud: "501 `nao_suportado`",
    why: "the Cloud API has no equivalent, so the gateway cannot check",
    seen: [
      "read the contact's picture: 404 foto_nao_encontrada, 501 nao_suportado",
      "list the labels: 403 exige_conta_comercial, 501 nao_suportado",
    ],
  },
  {
    what: "lists, buttons, templates",
    session: "501 `nao_suportado`",
    cloud: "200",
    why: "phones show them only if they come from the Cloud API",
    seen: ["list", "buttons", "template"].map((kind) => `send ${kind === "buttons" ? kind : `a ${kind}`}: 501 nao_suportado, 200`),
  },
  {
    what: "`kind` in the status and in the capabilities",
    session: "`session`",
    cloud: "`cloud_api`",
    why: "the kind itself",
    seen: ["status", "capabilities"].map((field) => `read the ${field} data.kind: "session", "cloud_api"`),
  },
  {
    what: "limits and fields in the capabilities",
    session: "no `cloud_*` limits; every route supports all its fields",
    cloud: "`cloud_*` limits, names in `unsupported_fields`",
    why: "Meta has other limits, and lacks some options of a send",
    seen: [
      "read the capabilities data.limits.cloud_*: absent, number",
      "read the capabilities data.routes[].unsupported_fields[]: absent, string",
    ],
  },
  {
    what: "health",
    session: "`new_chat_quota` has a value, `quality_rating` is null",
    cloud: "`quality_rating` has a value, `new_chat_quota` is null",
    why: "Meta rates Cloud API numbers in its own way",
    seen: ["read the health data.new_chat_quota: object, null", "read the health data.quality_rating: null, string"],
  },
  {
    what: "`business` in the number's own profile",
    session: "null, except for business accounts",
    cloud: "always present",
    why: "every Cloud API number is a business",
    seen: ["read the own profile data.business: null, object"],
  },
  {
    what: "`width` and `height` of a sent picture",
    session: "numbers",
    cloud: "null",
    why: "the session bridge decodes a picture for its preview; the Cloud API does not need a preview",
    seen: ["width", "height"].map((field) => `read the chat's messages data[].media.${field}: null|number, null`),
  },
  {
    what: "the contacts of a new connection",
    session: "those of the phone; `name` is null for people that it has not saved",
    cloud: "people who have written, and people that you save through the gateway",
    why: "there is no phone, and Meta has no history",
    seen: ["read the contacts data[].name: null|string, string"],
  },
  {
    what: "`message.status` for an id that no message has",
    session: "one for each reaction, edit and deletion by the number itself; ignore it",
    cloud: "none",
    why: "phones acknowledge these like messages, each under its own id",
    seen: ["told of an id of no message: message.status delivered: yes, no"],
  },
];
