// All that differs for a program between a paired number and one of the Cloud API. Each row stands in docs/use/cloud-api.md, "Differences for
// an application"; `seen` is how the journey finds it.

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
    what: "to write to somebody who has not written in the last 24 hours",
    session: "arrives",
    cloud: "200, then `message.status` with `failed` and `fora_da_janela`; a template arrives",
    why: "Meta's service window, which it often judges only after it has taken the message",
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
    what: "polls, mentions, edits, deletions, stars, a chat marked as unread, recording, own presence, a contact's about text, channels, checks of numbers",
    session: "200, and the events of it",
    cloud: "501 `nao_suportado`, no event",
    why: "the Cloud API has nothing of the kind",
    seen: [
      ...ONLY_SESSIONS.map((step) => `${step}: ${REFUSED}`),
      "told of send a text: message.edited: yes, no",
      "told of send a text: message.deleted: yes, no",
      "event message.sent text data[].mentions[]: string, absent",
    ],
  },
  {
    what: "pictures of contacts, labels",
    session: "404 `foto_nao_encontrada` without a picture; labels want a business account, else 403 `exige_conta_comercial`",
    cloud: "501 `nao_suportado`",
    why: "the Cloud API has nothing of the kind, so whether there is one is not asked",
    seen: [
      "read the contact's picture: 404 foto_nao_encontrada, 501 nao_suportado",
      "list the labels: 403 exige_conta_comercial, 501 nao_suportado",
    ],
  },
  {
    what: "lists, buttons, templates",
    session: "501 `nao_suportado`",
    cloud: "200",
    why: "phones show them from businesses on the Cloud API alone",
    seen: ["list", "buttons", "template"].map((kind) => `send ${kind === "buttons" ? kind : `a ${kind}`}: 501 nao_suportado, 200`),
  },
  {
    what: "`kind` of the status and of the capabilities",
    session: "`session`",
    cloud: "`cloud_api`",
    why: "it names the kind; a program that wants to know more asks for the capabilities",
    seen: ["status", "capabilities"].map((of) => `read the ${of} data.kind: "session", "cloud_api"`),
  },
  {
    what: "limits and fields in the capabilities",
    session: "no `cloud_*` limits; every field is taken by the routes that it has",
    cloud: "`cloud_*` limits, names in `unsupported_fields`",
    why: "Meta's limits are others, and some options of a send do not exist there",
    seen: [
      "read the capabilities data.limits.cloud_*: absent, number",
      "read the capabilities data.routes[].unsupported_fields[]: absent, string",
    ],
  },
  {
    what: "health",
    session: "`new_chat_quota`, and null as `quality_rating`",
    cloud: "`quality_rating`, and null as `new_chat_quota`",
    why: "each network judges its numbers by a measure of its own",
    seen: ["read the health data.new_chat_quota: object, null", "read the health data.quality_rating: null, string"],
  },
  {
    what: "`business` of the own profile",
    session: "null, but for business accounts",
    cloud: "always there",
    why: "every number of the Cloud API is a business",
    seen: ["read the own profile data.business: null, object"],
  },
  {
    what: "`width` and `height` of a picture that was sent",
    session: "numbers",
    cloud: "null",
    why: "the session bridge reads the picture to make its preview; for the Cloud API nobody opens a file",
    seen: ["width", "height"].map((field) => `read the chat's messages data[].media.${field}: null|number, null`),
  },
  {
    what: "the contacts of a new connection",
    session: "those of the phone, with null as `name` where it has not saved them",
    cloud: "who has written, and who was saved here",
    why: "there is no phone, and Meta tells no history",
    seen: ["read the contacts data[].name: null|string, string"],
  },
  {
    what: "`message.status` of an id that no message has",
    session: "one for each reaction, edit and deletion of the number's own; pass over it",
    cloud: "none",
    why: "phones confirm these like messages, under an id of their own",
    seen: ["told of an id of no message: message.status delivered: yes, no"],
  },
];
