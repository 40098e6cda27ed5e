import { documented, says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { readPersonId } from "@gateway/domain/chats/chat-id.ts";
import { readAs } from "#root/src/http/fields.ts";
import { done, list } from "../responses.ts";
import { EXAMPLE } from "../example-values.ts";
import { PERSON_FAILURES } from "../failure-lists.ts";
import { limit } from "../fields.ts";
import { type Family, route } from "../route.ts";
import type { Views } from "../views.ts";

/** A caller with an unknown phone number still has a chat id. */
const caller = z
  .string()
  .transform(readAs(readPersonId, "not_a_person", { code: "invalid_number" }))
  .openapi({
    type: "string",
    example: EXAMPLE.contact,
    ...says({ en: "The caller: digits, or the chat id", pt: "Quem ligou: dígitos, ou o id da conversa" }),
  });

const callRoutes = (views: Views) => [
  route({
    method: "post",
    path: "/calls/reject",
    name: "rejectCall",
    effect: "change",
    operation: "calls.reject",
    summary: documented({ en: "Rejects a call while it rings", pt: "Recusa uma ligação enquanto ela toca" }),
    description: documented({
      en: "Only while the call's `status` is `received`. Rejecting a call does not create an event.",
      pt: "Só enquanto o `status` da ligação é `received`. A recusa não gera evento.",
    }),
    failures: [...PERSON_FAILURES, "invalid_number", "call_not_found", "call_ended"],
    example: { body: { call_id: EXAMPLE.call, from: EXAMPLE.contact } },
    body: z.strictObject({ call_id: z.string().min(1).max(128).openapi({ example: EXAMPLE.call }), from: caller }),
    input: ({ body }) => ({ call_id: body.call_id, from: body.from.endsWith("@c.us") ? body.from.slice(0, -"@c.us".length) : null }),
    ...done,
  }),
  route({
    method: "get",
    path: "/calls",
    name: "listCalls",
    effect: "read",
    operation: "calls.list",
    summary: documented({
      en: "Calls of the last seven days, newest first",
      pt: "Ligações dos últimos sete dias, da mais recente à mais antiga",
    }),
    failures: [],
    query: z.object({ limit }),
    input: ({ query }) => ({ limit: query.limit }),
    ...list(views.call),
  }),
];

export const calls = (views: Views): Family => ({
  name: "calls",
  title: documented({ en: "Calls", pt: "Ligações" }),
  description: documented({ en: "Incoming calls.", pt: "Ligações recebidas." }),
  routes: callRoutes(views),
});
