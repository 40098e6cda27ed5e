// How the number is doing, and what works on it (catalogue 1.2 B1, 1.3).
import { z } from "@hono/zod-openapi";
import { numberHealth } from "../../http/number-health-fields.ts";

export const NumberHealth = numberHealth({
  score: "De 0 a 100",
  rate: "De 0 a 1; null sem envios",
  code463: "Recusas 463 em conversas novas e em conversas já abertas",
  quality_rating: "Só em conexões de API de nuvem",
  checked_at: "Quando a rede foi consultada; no máximo uma vez em dez minutos",
});

export const Capabilities = z
  .object({
    kind: z.enum(["session", "cloud_api"]),
    is_business: z.boolean().nullable().openapi({ description: "null enquanto não se sabe" }),
    features: z
      .record(z.string(), z.boolean())
      .openapi({ description: "O que funciona nesta conexão, por nome", example: { "messages.poll": true, "messages.list": false } }),
    routes: z
      .array(
        z.object({
          method: z.string(),
          path: z.string(),
          supported: z.boolean(),
          reason: z.enum(["nao_suportado", "exige_conta_comercial"]).nullable(),
        }),
      )
      .openapi({ description: "O mesmo, rota por rota" }),
    limits: z.record(z.string(), z.number()).openapi({ description: "Todos os limites; a unidade está no nome" }),
  })
  .openapi("Capabilities");
