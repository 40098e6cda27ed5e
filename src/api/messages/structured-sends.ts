import { documented } from "#root/src/http/openapi/documentation.ts";
import { FILE_RULES } from "@gateway/domain/media/file-rules.ts";
import { EXAMPLE } from "../example-values.ts";
import { chatId, messageId, optionalText, text } from "../fields.ts";
import { contacts, event, groupChat, place, poll } from "./send-schemas.ts";
import { sendRoute } from "./send-route.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { problem } from "#root/src/http/problems.ts";
import { givenFile, media } from "../file-field.ts";

const TO = { to: EXAMPLE.contact } as const;

export const structuredSendRoutes = [
  sendRoute({
    path: "/messages/location",
    kind: "location",
    name: "sendLocation",
    summary: documented({ en: "Send a location", pt: "Envia uma localização" }),
    failures: [],
    example: { body: { ...TO, latitude: -23.5614, longitude: -46.6559, name: "MASP", address: "Av. Paulista, 1578" } },
    body: place,
    content: ({ latitude, longitude, name, address }) => ({ location: { latitude, longitude, name, address } }),
  }),
  sendRoute({
    path: "/messages/contact",
    kind: "contact",
    name: "sendContact",
    summary: documented({ en: "Send contacts", pt: "Envia contatos" }),
    failures: [],
    example: { body: { ...TO, contacts: [{ full_name: "Ana Souza", phone: EXAMPLE.other }] } },
    body: { contacts },
    content: (body) => ({ contacts: body.contacts }),
  }),
  sendRoute({
    path: "/messages/poll",
    kind: "poll",
    name: "sendPoll",
    summary: documented({ en: "Send a poll", pt: "Envia uma enquete" }),
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
    summary: documented({ en: "Send an event", pt: "Envia um evento" }),
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
    summary: documented({ en: "Send an invitation to a group", pt: "Envia um convite para um grupo" }),
    failures: ["group_not_found", "forbidden"],
    example: { body: { ...TO, group_id: EXAMPLE.group, text: "Entre no grupo" } },
    body: { group_id: groupChat, text: optionalText(1024) },
    content: ({ group_id, text }) => ({ group_id, text }),
  }),
  sendRoute({
    path: "/messages/forward",
    kind: "forward_of",
    name: "forwardMessage",
    summary: documented({ en: "Forward a message", pt: "Encaminha uma mensagem" }),
    failures: ["source_message_not_found"],
    example: { body: { ...TO, from_chat_id: EXAMPLE.chat, message_id: EXAMPLE.message }, response: { type: "text" } },
    // Here, `message_id` is the message to forward. The forwarded copy gets its own id.
    body: { from_chat_id: chatId, message_id: messageId },
    own: { message_id: null },
    content: ({ from_chat_id, message_id }) => ({ chat_id: from_chat_id, message_id }),
  }),
];

// Sends that only Cloud API numbers support. For sessions, they return 501 after validation (docs/use/apis.md, "Two kinds of numbers").
const MAX_ROWS = 10;
const MAX_COMPONENT_KB = 16;

const row = z.strictObject({ row_id: text(200), title: text(24), description: optionalText(72) });

const sections = z
  .array(z.strictObject({ title: text(24), rows: z.array(row).min(1).max(MAX_ROWS) }))
  .min(1)
  .max(10)
  .refine((all) => all.flatMap(({ rows }) => rows).length <= MAX_ROWS, problem("too_many_rows", { most: MAX_ROWS }))
  .refine((all) => isUnique(all.flatMap(({ rows }) => rows.map(({ row_id }) => row_id))), problem("repeated_row"));

const buttons = z
  .array(z.strictObject({ button_id: text(256), title: text(20) }))
  .min(1)
  .max(3)
  .refine((all) => isUnique(all.map(({ button_id }) => button_id)), problem("repeated_button"));

const components = z
  .array(z.unknown())
  .transform((value) => JSON.stringify(value))
  .refine((json) => new TextEncoder().encode(json).length <= MAX_COMPONENT_KB * 1024, problem("too_large", { most: MAX_COMPONENT_KB }))
  .openapi({ type: "array", items: { type: "object" } });

export const cloudSendRoutes = [
  sendRoute({
    path: "/messages/list",
    kind: "list",
    name: "sendList",
    summary: documented({ en: "Send a list", pt: "Envia uma lista" }),
    description: documented({
      en: "Not available on session connections: use a poll.",
      pt: "Não existe em conexões por sessão: use uma enquete.",
    }),
    failures: [],
    example: {
      body: { ...TO, body: "Escolha", button: "Ver", sections: [{ title: "Dias", rows: [{ row_id: "ter", title: "Terça" }] }] },
      failure: "not_supported",
    },
    body: { body: text(1024), header: optionalText(60), footer: optionalText(60), button: text(20), sections },
    content: ({ body, header, footer, button, sections: parts }) => ({ body, header, footer, button, sections: parts }),
  }),
  sendRoute({
    path: "/messages/buttons",
    kind: "buttons",
    name: "sendButtons",
    summary: documented({ en: "Send buttons", pt: "Envia botões" }),
    description: documented({
      en: "Not available on session connections: use a poll.",
      pt: "Não existe em conexões por sessão: use uma enquete.",
    }),
    failures: [],
    example: { body: { ...TO, body: "Confirma?", buttons: [{ button_id: "sim", title: "Sim" }] }, failure: "not_supported" },
    body: { body: text(1024), header: z.union([text(60), media]).nullish(), footer: optionalText(60), buttons },
    content: ({ body, header, footer, buttons: choices }, files) => ({
      body,
      header: typeof header === "object" && header !== null ? files.add(givenFile(header, FILE_RULES.image)) : (header ?? null),
      footer,
      buttons: choices,
    }),
  }),
  sendRoute({
    path: "/messages/template",
    kind: "template",
    name: "sendTemplate",
    summary: documented({ en: "Send an approved template", pt: "Envia um modelo aprovado" }),
    description: documented({ en: "Not available on session connections.", pt: "Não existe em conexões por sessão." }),
    failures: ["template_invalid"],
    example: { body: { ...TO, name: "boas_vindas", language: "pt_BR" }, failure: "not_supported" },
    body: {
      name: z.string().regex(/^[a-z0-9_]{1,512}$/),
      language: z.string().regex(/^[A-Za-z]{2,3}([_-][A-Za-z]{2,4})?$/),
      components: components.nullish(),
    },
    content: ({ name, language, components: parts }) => ({ name, language, components: parts ?? null }),
  }),
];

function isUnique(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}
