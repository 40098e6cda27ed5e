// How the number is doing, and what works on it.
import { z } from "@hono/zod-openapi";
import { numberHealth } from "../../http/number-health-fields.ts";

export const NumberHealth = numberHealth({
  score: "0 to 100",
  rate: "0 to 1; null when nothing was sent",
  code463: "Refusals with code 463 in new chats and in established ones",
  quality_rating: "Only on cloud API connections",
  checked_at: "When the network was asked; at most once in ten minutes",
});

export const Capabilities = z
  .object({
    kind: z.enum(["session", "cloud_api"]),
    is_business: z.boolean().nullable().openapi({ description: "null while unknown" }),
    features: z
      .record(z.string(), z.boolean())
      .openapi({ description: "What works on this connection, by name", example: { "messages.poll": true, "messages.list": false } }),
    routes: z
      .array(
        z.object({
          method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"] as readonly string[]),
          path: z.string(),
          supported: z.boolean(),
          reason: z.enum(["nao_suportado", "exige_conta_comercial"]).nullable(),
          unsupported_fields: z.array(z.string()).openapi({ description: "Of the body: what this kind of number does not take" }),
        }),
      )
      .openapi({ description: "The same, route by route" }),
    limits: z.record(z.string(), z.number()).openapi({ description: "Every limit; the unit is in the name" }),
  })
  .openapi("Capabilities");
