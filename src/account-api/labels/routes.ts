// Labels of messages, on business accounts.
import { z } from "@hono/zod-openapi";
import { NETWORK_FAILURES } from "../failure-lists.ts";
import { chatId, instanceId, labelId, messageId, ok, okResult } from "../fields.ts";
import { type Family, operation } from "../route.ts";

const labelled = {
  path: "/instances/{instanceId}/chats/{chatId}/messages/{messageId}/labels/{labelId}",
  scope: "send",
  operation: "labels.mark_message",
  failures: [...NETWORK_FAILURES, "business_account_required", "label_not_found", "message_not_found"],
  params: z.object({ instanceId, chatId, messageId, labelId }),
  response: ok,
  render: okResult,
} as const;

const messageLabelRoutes = [
  operation({
    ...labelled,
    name: "addMessageLabel",
    effect: "change",
    method: "post",
    summary: "Adds a label to a message",
    input: ({ params }) => ({ ...marked(params), labelled: true }),
  }),
  operation({
    ...labelled,
    name: "removeMessageLabel",
    effect: "change",
    method: "delete",
    summary: "Removes a label from a message",
    input: ({ params }) => ({ ...marked(params), labelled: false }),
  }),
];

function marked(params: z.output<typeof labelled.params>) {
  return { chat_id: params.chatId, message_id: params.messageId, label_id: params.labelId };
}

export const labels: Family = {
  name: "labels",
  title: "Labels",
  description: "Labels of business accounts.",
  routes: [...messageLabelRoutes],
};
