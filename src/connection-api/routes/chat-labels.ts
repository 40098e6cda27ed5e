// The labels of one chat.
import { z } from "@hono/zod-openapi";
import { renderLabel } from "../render/label.ts";
import { route } from "../route.ts";
import { chatId, done, ok } from "../schemas/fields.ts";
import { Label, labelId } from "../schemas/label.ts";

const params = z.object({ chatId });
const one = z.object({ chatId, labelId });
const tag = "labels";

export const chatLabelRoutes = [
  route({
    method: "get",
    path: "/chats/{chatId}/labels",
    operation: "labels.of_chat",
    tag,
    business: true,
    counted: true,
    cached: true,
    summary: "The labels of a chat",
    params,
    input: (given) => ({ chat_id: given.params.chatId }),
    response: z.object({ data: z.array(Label) }),
    render: ({ items }) => ({ data: items.map(renderLabel) }),
  }),
  route({
    method: "put",
    path: "/chats/{chatId}/labels",
    operation: "labels.set_chat",
    tag,
    business: true,
    summary: "Sets exactly which labels the chat has",
    params,
    body: z.strictObject({ label_ids: z.array(labelId).max(20) }),
    input: (given) => ({ chat_id: given.params.chatId, label_ids: given.body.label_ids }),
    response: z.object({ data: z.array(Label) }),
    render: ({ items }) => ({ data: items.map(renderLabel) }),
  }),
  route({
    method: "post",
    path: "/chats/{chatId}/labels/{labelId}",
    operation: "labels.mark_chat",
    tag,
    business: true,
    summary: "Adds a label to the chat",
    params: one,
    input: (given) => ({ chat_id: given.params.chatId, label_id: given.params.labelId, labelled: true }),
    response: ok,
    render: done,
  }),
  route({
    method: "delete",
    path: "/chats/{chatId}/labels/{labelId}",
    operation: "labels.mark_chat",
    tag,
    business: true,
    summary: "Removes a label from the chat",
    params: one,
    input: (given) => ({ chat_id: given.params.chatId, label_id: given.params.labelId, labelled: false }),
    response: ok,
    render: done,
  }),
];
