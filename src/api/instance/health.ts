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
    summary: {
      en: "How the number is doing: restrictions, quota of new chats, deliveries and disconnections of the last 24 hours",
      pt: "Como o número está: restrições, cota de novas conversas, entregas e quedas das últimas 24 horas",
    },
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
    summary: { en: "What works on this connection, and every limit", pt: "O que funciona nesta conexão, e todos os limites" },
    description: {
      en: "What this kind of connection offers, before you try: what it does not offer answers 501 `nao_suportado`.",
      pt: "O que este tipo de conexão oferece, antes de tentar: o que não oferece responde 501 `nao_suportado`.",
    },
    failures: [],
    input: () => ({}),
    response: z.object({ data: Capabilities }),
    render: (connection, { routes }) => ({ data: renderCapabilities(connection, routes, NAMING) }),
  }),
];
