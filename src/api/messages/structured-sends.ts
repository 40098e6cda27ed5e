import { EXAMPLE } from "../example-values.ts";
import { chatId, messageId, optionalText } from "../fields.ts";
import { contacts, event, groupChat, place, poll } from "./content-schemas.ts";
import { sendRoute } from "./send-route.ts";

const TO = { to: EXAMPLE.contact } as const;

export const structuredSendRoutes = [
  sendRoute({
    path: "/messages/location",
    kind: "location",
    name: "sendLocation",
    summary: { en: "Sends a location", pt: "Envia uma localização" },
    failures: [],
    example: { body: { ...TO, latitude: -23.5614, longitude: -46.6559, name: "MASP", address: "Av. Paulista, 1578" } },
    body: place,
    content: ({ latitude, longitude, name, address }) => ({ location: { latitude, longitude, name, address } }),
  }),
  sendRoute({
    path: "/messages/contact",
    kind: "contact",
    name: "sendContact",
    summary: { en: "Sends contacts", pt: "Envia contatos" },
    failures: [],
    example: { body: { ...TO, contacts: [{ full_name: "Ana Souza", phone: EXAMPLE.other }] } },
    body: { contacts },
    content: (body) => ({ contacts: body.contacts }),
  }),
  sendRoute({
    path: "/messages/poll",
    kind: "poll",
    name: "sendPoll",
    summary: { en: "Sends a poll", pt: "Envia uma enquete" },
    failures: [],
    example: { body: { ...TO, question: "Qual dia?", options: ["Terça", "Quinta"], selectable_count: 1 } },
    body: poll,
    check: ({ options, selectable_count }, wrong) => {
      if (selectable_count > options.length) wrong("selectable_count", "too_many_choices");
    },
    content: ({ question, options, selectable_count }) => ({ poll: { question, options, selectable_count } }),
  }),
  sendRoute({
    path: "/messages/event",
    kind: "event",
    name: "sendEvent",
    summary: { en: "Sends an event", pt: "Envia um evento" },
    failures: [],
    example: { body: { ...TO, name: "Reunião", starts_at: "2030-01-15T14:00:00Z" } },
    body: event,
    check: ({ starts_at, ends_at }, wrong) => {
      if ((ends_at ?? null) !== null && Number(ends_at) <= starts_at) wrong("ends_at", "ends_first");
    },
    content: ({ name, description, starts_at, ends_at, location, extra_guests, cancelled }) => ({
      name,
      description,
      starts_at,
      ends_at: ends_at ?? null,
      location: location ?? null,
      extra_guests,
      cancelled,
    }),
  }),
  sendRoute({
    path: "/messages/group-invite",
    kind: "invite_to",
    name: "sendGroupInvite",
    summary: { en: "Sends an invitation to a group", pt: "Envia um convite para um grupo" },
    failures: ["group_not_found", "forbidden"],
    example: { body: { ...TO, group_id: EXAMPLE.group, text: "Entre no grupo" } },
    body: { group_id: groupChat, text: optionalText(1024) },
    content: ({ group_id, text }) => ({ group_id, text }),
  }),
  sendRoute({
    path: "/messages/forward",
    kind: "forward_of",
    name: "forwardMessage",
    summary: { en: "Forwards a message", pt: "Encaminha uma mensagem" },
    failures: ["source_message_not_found"],
    example: { body: { ...TO, from_chat_id: EXAMPLE.chat, message_id: EXAMPLE.message }, answer: { type: "text" } },
    // Here `message_id` names the source; the forwarded message gets its own id.
    body: { from_chat_id: chatId, message_id: messageId },
    own: { message_id: null },
    content: ({ from_chat_id, message_id }) => ({ chat_id: from_chat_id, message_id }),
  }),
];
