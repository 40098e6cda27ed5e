// How the number is doing, and what works on it (catalogue 1.2 B1, 1.3).
import { z } from "@hono/zod-openapi";
import { HEALTH_LEVELS } from "../../protocol/health.ts";
import { iso } from "./fields.ts";
import { Restriction } from "./instance.ts";

const count = z.number().int();
const rate = z.number().nullable().openapi({ description: "De 0 a 1; null sem envios" });

const NewChatQuota = z
  .object({
    total: count.nullable(),
    used: count.nullable(),
    cycle_ends_at: iso.nullable(),
    status: z.enum(["none", "first_warning", "second_warning", "capped"]),
  })
  .openapi("NewChatQuota");

export const NumberHealth = z
  .object({
    score: count.openapi({ description: "De 0 a 100" }),
    level: z.enum(HEALTH_LEVELS),
    restriction: Restriction.nullable(),
    new_chat_quota: NewChatQuota.nullable(),
    sends_24h: count,
    failed_24h: count,
    code463_24h: z
      .object({ cold: count, warm: count })
      .openapi({ description: "Recusas 463 em conversas novas e em conversas já abertas" }),
    delivered_rate_24h: rate,
    read_rate_24h: rate,
    reconnects_24h: count,
    last_inbound_at: iso.nullable(),
    connected_since: iso.nullable(),
    proxy: z
      .object({ id: z.string(), status: z.enum(["healthy", "degraded", "down", "unknown"]), latency_ms: z.number().nullable() })
      .nullable(),
    quality_rating: z.string().nullable().openapi({ description: "Só em conexões de API de nuvem" }),
    checked_at: iso.nullable().openapi({ description: "Quando a rede foi consultada; no máximo uma vez em dez minutos" }),
  })
  .openapi("NumberHealth");

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
