import { says } from "#root/src/http/openapi/documentation.ts";
import type { Text } from "./openapi/text.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { HEALTH_LEVELS } from "@gateway/protocol/health.ts";
import { iso } from "./fields.ts";

const count = z.number().int();

export const Restriction = z
  .object({ type: z.literal("new_chats_blocked"), enforcement: z.string(), ends_at: iso.nullable(), detected_at: iso })
  .openapi("Restriction");

export const Ban = z.object({ code: count.nullable(), ends_at: iso.nullable() }).openapi("Ban");

export const banInEvent = z
  .strictObject({
    code: count.nullable().openapi(
      says({
        en: "WhatsApp's reason code: 101 messages to too many strangers, 102 blocked by many people, 103 too many groups, 104 same message too often, 106 too many broadcast messages; null if unknown",
        pt: "O código do motivo no WhatsApp: 101 mensagens a muitos desconhecidos, 102 bloqueado por muita gente, 103 grupos demais, 104 a mesma mensagem vezes demais, 106 listas de transmissão; null se desconhecido",
      }),
    ),
    ends_at: iso.nullable().openapi(
      says({
        en: "When it ends; the number then reconnects on its own. null if WhatsApp does not say",
        pt: "Quando termina; depois, o número se reconecta sozinho. null se o WhatsApp não informa",
      }),
    ),
  })
  .nullable()
  .openapi(
    says({
      en: "For a temporary ban: the reason and the end; null without one",
      pt: "Em um banimento temporário: o motivo e o fim; null se não há",
    }),
  );

export const NewChatQuota = z
  .object({
    total: count.nullable(),
    used: count.nullable(),
    cycle_ends_at: iso.nullable(),
    status: z.enum(["none", "first_warning", "second_warning", "capped"]),
  })
  .openapi("NewChatQuota");

type Descriptions = Record<"score" | "rate" | "code463" | "quality_rating" | "checked_at", Text>;

export function numberHealth(descriptions: Descriptions) {
  const rate = z.number().nullable().openapi(says(descriptions.rate));
  return z
    .object({
      score: count.openapi(says(descriptions.score)),
      level: z.enum(HEALTH_LEVELS),
      restriction: Restriction.nullable(),
      new_chat_quota: NewChatQuota.nullable(),
      sends_24h: count,
      failed_24h: count,
      code463_24h: z.object({ cold: count, warm: count }).openapi(says(descriptions.code463)),
      delivered_rate_24h: rate,
      read_rate_24h: rate,
      reconnects_24h: count,
      last_inbound_at: iso.nullable(),
      connected_since: iso.nullable(),
      proxy: z
        .object({ id: z.string(), status: z.enum(["healthy", "degraded", "down", "unknown"]), latency_ms: z.number().nullable() })
        .nullable(),
      quality_rating: z.enum(["GREEN", "YELLOW", "RED"]).nullable().openapi(says(descriptions.quality_rating)),
      checked_at: iso.nullable().openapi(says(descriptions.checked_at)),
    })
    .openapi("NumberHealth");
}
