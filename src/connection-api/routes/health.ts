// How the number is doing, and what works on it.
import { z } from "@hono/zod-openapi";
import { renderHealth } from "../../http/number-health.ts";
import { renderCapabilities } from "../render/health.ts";
import { route } from "../route.ts";
import { Capabilities, NumberHealth } from "../schemas/health.ts";

export const healthRoutes = [
  route({
    method: "get",
    path: "/instance/health",
    operation: "instance.health",
    tag: "instance",
    summary: "How the number is doing: restrictions, quota of new chats, deliveries and disconnections of the last 24 hours",
    input: () => ({}),
    response: z.object({ data: NumberHealth }),
    render: (health) => ({ data: renderHealth(health) }),
  }),
  route({
    method: "get",
    path: "/instance/capabilities",
    operation: "instance.capabilities",
    tag: "instance",
    summary: "What works on this connection, and every limit",
    input: () => ({}),
    response: z.object({ data: Capabilities }),
    render: (connection, rendering) => ({ data: renderCapabilities(connection, rendering) }),
  }),
];
