import * as z from "#root/src/http/openapi/zod.ts";
import { done, list } from "../answers.ts";
import { EXAMPLE } from "../example-values.ts";
import { NETWORK_FAILURES } from "../failure-lists.ts";
import { chatId } from "../fields.ts";
import { route } from "../route.ts";
import { labelId, READ_FAILURES, label } from "./view.ts";

const ONE_CHAT_LABEL = [...NETWORK_FAILURES, "business_account_required", "label_not_found", "chat_not_found"] as const;

const params = z.object({ chatId });
const one = z.object({ chatId, labelId });

export const chatLabelRoutes = [
  route({
    method: "get",
    path: "/chats/{chatId}/labels",
    name: "listChatLabels",
    effect: "read",
    operation: "labels.of_chat",
    business: true,
    counted: true,
    cached: true,
    summary: { en: "The labels of a chat", pt: "As etiquetas de uma conversa" },
    failures: [...READ_FAILURES, "chat_not_found"],
    params,
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
    summary: { en: "Sets exactly which labels the chat has", pt: "Define exatamente quais etiquetas a conversa tem" },
    failures: ONE_CHAT_LABEL,
    example: { body: { label_ids: [EXAMPLE.label] } },
    params,
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
    summary: { en: "Adds a label to the chat", pt: "Põe uma etiqueta na conversa" },
    failures: ONE_CHAT_LABEL,
    params: one,
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
    summary: { en: "Removes a label from the chat", pt: "Tira uma etiqueta da conversa" },
    failures: ONE_CHAT_LABEL,
    params: one,
    input: (given) => ({ chat_id: given.params.chatId, label_id: given.params.labelId, labelled: false }),
    ...done,
  }),
];
