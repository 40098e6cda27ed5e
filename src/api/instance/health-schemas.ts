import { says } from "../../http/openapi/text.ts";
import { z } from "@hono/zod-openapi";
import { numberHealth } from "../../http/number-health-fields.ts";

export const NumberHealth = numberHealth({
  score: { en: "0 to 100", pt: "De 0 a 100" },
  rate: { en: "0 to 1; null when nothing was sent", pt: "De 0 a 1; null sem envios" },
  code463: {
    en: "Refusals with code 463 in new chats and in established ones",
    pt: "Recusas 463 em conversas novas e em conversas já abertas",
  },
  quality_rating: { en: "Only on cloud API connections", pt: "Só em conexões de API de nuvem" },
  checked_at: {
    en: "When the network was asked; at most once in ten minutes",
    pt: "Quando a rede foi consultada; no máximo uma vez em dez minutos",
  },
});

export const Capabilities = z
  .object({
    kind: z.enum(["session", "cloud_api"]),
    is_business: z
      .boolean()
      .nullable()
      .openapi(says({ en: "null while unknown", pt: "null enquanto não se sabe" })),
    features: z.record(z.string(), z.boolean()).openapi({
      ...says({ en: "What works on this connection, by name", pt: "O que funciona nesta conexão, por nome" }),
      example: { "messages.poll": true, "messages.list": false },
    }),
    routes: z
      .array(
        z.object({
          method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"] as readonly string[]),
          path: z.string(),
          supported: z.boolean(),
          reason: z.enum(["nao_suportado", "exige_conta_comercial"]).nullable(),
          unsupported_fields: z
            .array(z.string())
            .openapi(
              says({ en: "Of the body: what this kind of number does not take", pt: "Do corpo: o que este tipo de número não aceita" }),
            ),
        }),
      )
      .openapi(says({ en: "The same, route by route", pt: "O mesmo, rota por rota" })),
    limits: z
      .record(z.string(), z.number())
      .openapi(says({ en: "Every limit; the unit is in the name", pt: "Todos os limites; a unidade está no nome" })),
  })
  .openapi("Capabilities");
