// Sends of places, people, polls, events, invitations, and of messages passed on.
import { chatId, messageId, optionalText } from "../schemas/fields.ts";
import { contacts, event, groupChat, place, poll } from "../schemas/forms.ts";
import { sendRoute } from "../send-route.ts";

export const sendFormRoutes = [
  sendRoute({
    path: "/messages/location",
    summary: "Sends a location",
    body: place,
    content: ({ latitude, longitude, name, address }) => ({ kind: "location", location: { latitude, longitude, name, address } }),
  }),
  sendRoute({
    path: "/messages/contact",
    summary: "Sends contacts",
    body: { contacts },
    content: (body) => ({ kind: "contact", contacts: body.contacts }),
  }),
  sendRoute({
    path: "/messages/poll",
    summary: "Sends a poll",
    body: poll,
    check: ({ options, selectable_count }, wrong) => {
      if (selectable_count > options.length) wrong("selectable_count", "é maior que o número de opções");
    },
    content: ({ question, options, selectable_count }) => ({ kind: "poll", poll: { question, options, selectable_count } }),
  }),
  sendRoute({
    path: "/messages/event",
    summary: "Sends an event",
    body: event,
    check: ({ starts_at, ends_at }, wrong) => {
      if ((ends_at ?? null) !== null && Number(ends_at) <= starts_at) wrong("ends_at", "deve ser depois de starts_at");
    },
    content: ({ name, description, starts_at, ends_at, location, extra_guests, cancelled }) => ({
      kind: "event",
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
    summary: "Sends an invitation to a group",
    body: { group_id: groupChat, text: optionalText(1024) },
    content: ({ group_id, text }) => ({ kind: "invite_to", group_id, text }),
  }),
  sendRoute({
    path: "/messages/forward",
    summary: "Forwards a message",
    // `message_id` is the source here; what is made of it has an id of its own.
    body: { from_chat_id: chatId, message_id: messageId },
    own: { message_id: null },
    content: ({ from_chat_id, message_id }) => ({ kind: "forward_of", chat_id: from_chat_id, message_id }),
  }),
];
