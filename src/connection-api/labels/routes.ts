// Labels of a business account.
import { z } from "@hono/zod-openapi";
import { renderChat } from "../chats/render.ts";
import { NETWORK_FAILURES } from "../failure-lists.ts";
import { cursor, done, limit, nextCursor, ok } from "../fields.ts";
import { Chat } from "../messages/schemas.ts";
import { type Family, route } from "../route.ts";
import { chatLabelRoutes } from "./chat-labels.ts";
import { renderLabel, Label, labelBody, labelId, newLabelBody, wantedColor } from "./schemas.ts";

const LABELS = [...NETWORK_FAILURES, "business_account_required"] as const;
const ONE = [...LABELS, "label_not_found"] as const;

const params = z.object({ labelId });

const labelRoutes = [
  route({
    method: "get",
    path: "/labels",
    name: "listLabels",
    effect: "read",
    operation: "labels.list",
    business: true,
    counted: true,
    cached: true,
    summary: "Labels of the business account",
    failures: ["business_account_required"],
    input: () => ({}),
    response: z.object({ data: z.array(Label) }),
    render: ({ items }) => ({ data: items.map(renderLabel) }),
  }),
  route({
    method: "post",
    path: "/labels",
    name: "createLabel",
    effect: "change",
    operation: "labels.create",
    business: true,
    summary: "Creates a label; there are at most 20",
    failures: [...LABELS, "label_limit"],
    example: { body: { name: "Novo cliente", color: 3 } },
    body: newLabelBody,
    input: ({ body }) => ({ name: body.name, color: wantedColor(body) }),
    response: z.object({ data: Label }),
    render: (label) => ({ data: renderLabel(label) }),
  }),
  route({
    method: "patch",
    path: "/labels/{labelId}",
    name: "updateLabel",
    effect: "change",
    operation: "labels.change",
    business: true,
    summary: "Changes the name or the colour of a label",
    failures: ONE,
    example: { body: { name: "Cliente" } },
    params,
    body: labelBody,
    input: (given) => ({ label_id: given.params.labelId, name: given.body.name ?? null, color: wantedColor(given.body) }),
    response: z.object({ data: Label }),
    render: (label) => ({ data: renderLabel(label) }),
  }),
  route({
    method: "delete",
    path: "/labels/{labelId}",
    name: "deleteLabel",
    effect: "destructive",
    operation: "labels.remove",
    business: true,
    summary: "Deletes a label",
    failures: ONE,
    params,
    input: (given) => ({ label_id: given.params.labelId }),
    response: ok,
    render: done,
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
    summary: "The chats of a label",
    failures: ["business_account_required", "label_not_found"],
    params,
    query: z.object({ limit, cursor }),
    input: (given) => ({ label_id: given.params.labelId, limit: given.query.limit, cursor: given.query.cursor ?? null }),
    response: z.object({ data: z.array(Chat), next_cursor: nextCursor }),
    render: ({ items, next_cursor }, context) => ({ data: items.map((item) => renderChat(item, context)), next_cursor }),
  }),
];

export const labels: Family = {
  name: "labels",
  title: "Labels",
  description: "Labels of business accounts.",
  routes: [...labelRoutes, ...chatLabelRoutes],
};
