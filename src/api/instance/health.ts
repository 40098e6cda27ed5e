// How the number is doing, and what works on it.
import { z } from "@hono/zod-openapi";
import { renderHealth } from "../../http/number-health.ts";
import { route } from "../route.ts";
import { Capabilities, NumberHealth } from "./health-schemas.ts";
import { renderCapabilities } from "../instances/capabilities.ts";

const NAMING = {
  prefix: "/api/v1",
  base: "",
  reasons: { not_supported: "nao_suportado", business_account_required: "exige_conta_comercial" },
} as const;

export const healthRoutes = [
  route({
    method: "get",
    path: "/instance/health",
    name: "getInstanceHealth",
    effect: "read",
    operation: "instance.health",
    summary: "How the number is doing: restrictions, quota of new chats, deliveries and disconnections of the last 24 hours",
    failures: [],
    input: () => ({}),
    response: z.object({ data: NumberHealth }),
    render: (health) => ({ data: renderHealth(health) }),
  }),
  route({
    method: "get",
    path: "/instance/capabilities",
    name: "getCapabilities",
    effect: "read",
    operation: "instance.capabilities",
    summary: "What works on this connection, and every limit",
    description: "What this kind of connection offers, before you try: what it does not offer answers 501 `nao_suportado`.",
    failures: [],
    input: () => ({}),
    response: z.object({ data: Capabilities }),
    render: (connection, { routes }) => ({ data: renderCapabilities(connection, routes, NAMING) }),
  }),
];
