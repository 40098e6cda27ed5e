// Labels of a business account.
import { z } from "@hono/zod-openapi";
import { renderChat } from "../render/chat.ts";
import { renderLabel } from "../render/label.ts";
import { route } from "../route.ts";
import { cursor, done, limit, nextCursor, ok } from "../schemas/fields.ts";
import { Label, labelBody, labelId, newLabelBody, wantedColor } from "../schemas/label.ts";
import { Chat } from "../schemas/message.ts";

const params = z.object({ labelId });
const tag = "labels";

export const labelRoutes = [
  route({
    method: "get",
    path: "/labels",
    operation: "labels.list",
    tag,
    business: true,
    counted: true,
    cached: true,
    summary: "Labels of the business account",
    input: () => ({}),
    response: z.object({ data: z.array(Label) }),
    render: ({ items }) => ({ data: items.map(renderLabel) }),
  }),
  route({
    method: "post",
    path: "/labels",
    operation: "labels.create",
    tag,
    business: true,
    summary: "Creates a label; there are at most 20",
    body: newLabelBody,
    input: ({ body }) => ({ name: body.name, color: wantedColor(body) }),
    response: z.object({ data: Label }),
    render: (label) => ({ data: renderLabel(label) }),
  }),
  route({
    method: "patch",
    path: "/labels/{labelId}",
    operation: "labels.change",
    tag,
    business: true,
    summary: "Changes the name or the colour of a label",
    params,
    body: labelBody,
    input: (given) => ({ label_id: given.params.labelId, name: given.body.name ?? null, color: wantedColor(given.body) }),
    response: z.object({ data: Label }),
    render: (label) => ({ data: renderLabel(label) }),
  }),
  route({
    method: "delete",
    path: "/labels/{labelId}",
    operation: "labels.remove",
    tag,
    business: true,
    summary: "Deletes a label",
    params,
    input: (given) => ({ label_id: given.params.labelId }),
    response: ok,
    render: done,
  }),
  route({
    method: "get",
    path: "/labels/{labelId}/chats",
    operation: "labels.chats",
    tag,
    business: true,
    counted: true,
    cached: true,
    summary: "The chats of a label",
    params,
    query: z.object({ limit, cursor }),
    input: (given) => ({ label_id: given.params.labelId, limit: given.query.limit, cursor: given.query.cursor ?? null }),
    response: z.object({ data: z.array(Chat), next_cursor: nextCursor }),
    render: ({ items, next_cursor }, rendering) => ({ data: items.map((item) => renderChat(item, rendering)), next_cursor }),
  }),
];
