import { documented } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { done, list, one, page } from "../responses.ts";
import { NETWORK_FAILURES } from "../failure-lists.ts";
import { cursor, limit, chatId, messageId } from "../fields.ts";
import { type Family, route } from "../route.ts";
import type { Views } from "../views.ts";
import { labelBody, labelId, newLabelBody, READ_FAILURES, wantedColor, label } from "./view.ts";
import { instanceId } from "../account/fields.ts";
import { EXAMPLE } from "../example-values.ts";

const LABELS = [...NETWORK_FAILURES, "business_account_required"] as const;
const ONE = [...LABELS, "label_not_found"] as const;

const params = z.object({ labelId });

const labelRoutes = (views: Views) => [
  route({
    method: "get",
    path: "/labels",
    name: "listLabels",
    effect: "read",
    operation: "labels.list",
    business: true,
    counted: true,
    cached: true,
    summary: documented({ en: "Labels of the business account", pt: "Etiquetas da conta comercial" }),
    failures: READ_FAILURES,
    input: () => ({}),
    ...list(label),
  }),
  route({
    method: "post",
    path: "/labels",
    name: "createLabel",
    effect: "change",
    operation: "labels.create",
    business: true,
    summary: documented({ en: "Creates a label; there can be at most 20", pt: "Cria uma etiqueta; pode haver no máximo 20" }),
    failures: [...LABELS, "label_limit"],
    example: { body: { name: "Novo cliente", color: 3 } },
    body: newLabelBody,
    input: ({ body }) => ({ name: body.name, color: wantedColor(body) }),
    status: 201,
    ...one(label),
  }),
  route({
    method: "patch",
    path: "/labels/{labelId}",
    name: "updateLabel",
    effect: "change",
    operation: "labels.change",
    business: true,
    summary: documented({ en: "Changes the name or the colour of a label", pt: "Muda o nome ou a cor de uma etiqueta" }),
    failures: ONE,
    example: { body: { name: "Cliente" } },
    params,
    body: labelBody,
    input: (given) => ({ label_id: given.params.labelId, name: given.body.name ?? null, color: wantedColor(given.body) }),
    ...one(label),
  }),
  route({
    method: "delete",
    path: "/labels/{labelId}",
    name: "deleteLabel",
    effect: "destructive",
    operation: "labels.remove",
    business: true,
    summary: documented({ en: "Deletes a label", pt: "Apaga uma etiqueta" }),
    failures: ONE,
    params,
    input: (given) => ({ label_id: given.params.labelId }),
    ...done,
  }),
  route({
    method: "get",
    path: "/labels/{labelId}/chats",
    name: "listLabelChats",
    effect: "read",
    operation: "labels.chats",
    business: true,
    counted: true,
    cached: true,
    summary: documented({ en: "The chats of a label", pt: "As conversas de uma etiqueta" }),
    failures: [...READ_FAILURES, "label_not_found"],
    params,
    query: z.object({ limit, cursor }),
    input: (given) => ({ label_id: given.params.labelId, limit: given.query.limit, cursor: given.query.cursor ?? null }),
    ...page(views.chat),
  }),
];

export const labels = (views: Views): Family => ({
  name: "labels",
  title: documented({ en: "Labels", pt: "Etiquetas" }),
  description: documented({ en: "Labels of business accounts.", pt: "Etiquetas de contas comerciais." }),
  routes: [...labelRoutes(views), ...chatLabelRoutes],
});

const labelled = {
  path: "/instances/{instanceId}/chats/{chatId}/messages/{messageId}/labels/{labelId}",
  scope: "send",
  operation: "labels.mark_message",
  failures: [...NETWORK_FAILURES, "business_account_required", "label_not_found", "message_not_found"],
  params: z.object({ instanceId, chatId, messageId, labelId }),
  business: true,
  ...done,
} as const;

export const messageLabelRoutes = [
  route({
    ...labelled,
    name: "addMessageLabel",
    effect: "change",
    method: "post",
    summary: documented({ en: "Adds a label to a message", pt: "Adiciona uma etiqueta a uma mensagem" }),
    input: ({ params }) => ({ ...marked(params), labelled: true }),
  }),
  route({
    ...labelled,
    name: "removeMessageLabel",
    effect: "change",
    method: "delete",
    summary: documented({ en: "Removes a label from a message", pt: "Remove uma etiqueta de uma mensagem" }),
    input: ({ params }) => ({ ...marked(params), labelled: false }),
  }),
];

function marked(params: z.output<typeof labelled.params>) {
  return { chat_id: params.chatId, message_id: params.messageId, label_id: params.labelId };
}

const ONE_CHAT_LABEL = [...NETWORK_FAILURES, "business_account_required", "label_not_found", "chat_not_found"] as const;

const ofChat = z.object({ chatId });
const ofChatAndLabel = z.object({ chatId, labelId });

const chatLabelRoutes = [
  route({
    method: "get",
    path: "/chats/{chatId}/labels",
    name: "listChatLabels",
    effect: "read",
    operation: "labels.of_chat",
    business: true,
    counted: true,
    cached: true,
    summary: documented({ en: "The labels of a chat", pt: "As etiquetas de uma conversa" }),
    failures: [...READ_FAILURES, "chat_not_found"],
    params: ofChat,
    input: (given) => ({ chat_id: given.params.chatId }),
    ...list(label),
  }),
  route({
    method: "put",
    path: "/chats/{chatId}/labels",
    name: "setChatLabels",
    effect: "change",
    operation: "labels.set_chat",
    business: true,
    summary: documented({ en: "Sets exactly which labels the chat has", pt: "Define exatamente quais etiquetas a conversa tem" }),
    failures: ONE_CHAT_LABEL,
    example: { body: { label_ids: [EXAMPLE.label] } },
    params: ofChat,
    body: z.strictObject({ label_ids: z.array(labelId).max(20) }),
    input: (given) => ({ chat_id: given.params.chatId, label_ids: given.body.label_ids }),
    ...list(label),
  }),
  route({
    method: "post",
    path: "/chats/{chatId}/labels/{labelId}",
    name: "addChatLabel",
    effect: "change",
    operation: "labels.mark_chat",
    business: true,
    summary: documented({ en: "Adds a label to the chat", pt: "Adiciona uma etiqueta à conversa" }),
    failures: ONE_CHAT_LABEL,
    params: ofChatAndLabel,
    input: (given) => ({ chat_id: given.params.chatId, label_id: given.params.labelId, labelled: true }),
    ...done,
  }),
  route({
    method: "delete",
    path: "/chats/{chatId}/labels/{labelId}",
    name: "removeChatLabel",
    effect: "change",
    operation: "labels.mark_chat",
    business: true,
    summary: documented({ en: "Removes a label from the chat", pt: "Remove uma etiqueta da conversa" }),
    failures: ONE_CHAT_LABEL,
    params: ofChatAndLabel,
    input: (given) => ({ chat_id: given.params.chatId, label_id: given.params.labelId, labelled: false }),
    ...done,
  }),
];
