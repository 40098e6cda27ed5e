// How the number is doing, and what works on it (catalogue 1.2 B1).
import { z } from "@hono/zod-openapi";
import { shownHealth } from "../../http/number-health.ts";
import { renderCapabilities } from "../render/health.ts";
import { route } from "../route.ts";
import { Capabilities, NumberHealth } from "../schemas/health.ts";

export const healthRoutes = [
  route({
    method: "get",
    path: "/instance/health",
    operation: "instance.health",
    tag: "instance",
    summary: "Como o número está: restrições, cota de novas conversas, entregas e quedas das últimas 24 horas",
    input: () => ({}),
    response: z.object({ data: NumberHealth }),
    render: (health) => ({ data: shownHealth(health) }),
  }),
  route({
    method: "get",
    path: "/instance/capabilities",
    operation: "instance.capabilities",
    tag: "instance",
    summary: "O que funciona nesta conexão, e todos os limites",
    input: () => ({}),
    response: z.object({ data: Capabilities }),
    render: (connection, rendering) => ({ data: renderCapabilities(connection, rendering) }),
  }),
];
