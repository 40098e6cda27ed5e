// Calls.
import { z } from "@hono/zod-openapi";
import { EXAMPLE } from "../example-values.ts";
import { PERSON_FAILURES } from "../failure-lists.ts";
import { digits, done, limit, ok } from "../fields.ts";
import { type Family, route } from "../route.ts";
import { renderCall, Call } from "./schemas.ts";

const callRoutes = [
  route({
    method: "post",
    path: "/calls/reject",
    name: "rejectCall",
    effect: "change",
    operation: "calls.reject",
    summary: "Rejects a call while it rings; does not produce the event call with rejected",
    description: "Only for a call whose latest `call` event has the status `received`. Does not produce a `rejected` event.",
    failures: [...PERSON_FAILURES, "invalid_number", "call_not_found", "call_ended"],
    example: { body: { call_id: EXAMPLE.call, from: EXAMPLE.contact } },
    body: z.strictObject({ call_id: z.string().min(1).max(128).openapi({ example: EXAMPLE.call }), from: digits }),
    input: ({ body }) => ({ call_id: body.call_id, from: body.from }),
    response: ok,
    render: done,
  }),
  route({
    method: "get",
    path: "/calls",
    name: "listCalls",
    effect: "read",
    operation: "calls.list",
    summary: "Calls of the last seven days, newest first",
    failures: [],
    query: z.object({ limit }),
    input: ({ query }) => ({ limit: query.limit }),
    response: z.object({ data: z.array(Call) }),
    render: ({ items }) => ({ data: items.map(renderCall) }),
  }),
];

export const calls: Family = {
  name: "calls",
  title: "Calls",
  description: "Incoming calls.",
  routes: callRoutes,
};
