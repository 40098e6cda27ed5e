// Calls (docs/connection-api.md, "Changes").
import { z } from "@hono/zod-openapi";
import { renderCall } from "../render/call.ts";
import { route } from "../route.ts";
import { Call } from "../schemas/call.ts";
import { digits, done, limit, ok } from "../schemas/fields.ts";

const tag = "calls";

export const callRoutes = [
  route({
    method: "post",
    path: "/calls/reject",
    operation: "calls.reject",
    tag,
    summary: "Rejects a call while it rings; does not produce the event call with rejected",
    body: z.strictObject({ call_id: z.string().min(1).max(128).openapi({ example: "8E2F0A6C41D94B7FA1B2C3D4E5F60718" }), from: digits }),
    input: ({ body }) => ({ call_id: body.call_id, from: body.from }),
    response: ok,
    render: done,
  }),
  route({
    method: "get",
    path: "/calls",
    operation: "calls.list",
    tag,
    summary: "Calls of the last seven days, newest first",
    query: z.object({ limit }),
    input: ({ query }) => ({ limit: query.limit }),
    response: z.object({ data: z.array(Call) }),
    render: ({ items }) => ({ data: items.map(renderCall) }),
  }),
];
