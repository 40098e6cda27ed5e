import * as z from "#root/src/http/openapi/zod.ts";
import { done } from "../answers.ts";
import { NETWORK_FAILURES } from "../failure-lists.ts";
import { chatId, messageId } from "../fields.ts";
import { labelId } from "./schemas.ts";
import { instanceId } from "../account/fields.ts";
import { route } from "../route.ts";

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
    summary: { en: "Adds a label to a message", pt: "Adiciona uma etiqueta a uma mensagem" },
    input: ({ params }) => ({ ...marked(params), labelled: true }),
  }),
  route({
    ...labelled,
    name: "removeMessageLabel",
    effect: "change",
    method: "delete",
    summary: { en: "Removes a label from a message", pt: "Remove uma etiqueta de uma mensagem" },
    input: ({ params }) => ({ ...marked(params), labelled: false }),
  }),
];

function marked(params: z.output<typeof labelled.params>) {
  return { chat_id: params.chatId, message_id: params.messageId, label_id: params.labelId };
}
