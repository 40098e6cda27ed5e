import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { CONTROLS_PROBLEM, hasNoControls } from "@gateway/domain/people/names-and-emails.ts";
import { hasAtMostCharacters } from "@gateway/domain/messages/characters.ts";
import { PROXY_ERRORS, PROXY_PROTOCOLS, PROXY_STATUSES } from "@gateway/protocol/bridge-socket.ts";
import { phoneOrNull } from "../fields.ts";
import { iso, uuid } from "../account/fields.ts";

const LABEL_CHARACTERS = 60;
const MAX_INSTANCES = 1_000;

const count = z.number().int();

export const proxyId = z.string().max(64).openapi({ format: "uuid", example: "0189a5b4-2b3c-7d4e-8f5a-6b7c8d9e0f1a" });
export const proxyStatus = z.enum(PROXY_STATUSES);

const label = z
  .string()
  .trim()
  .min(1)
  .refine((text) => hasAtMostCharacters(text, LABEL_CHARACTERS), `must be at most ${LABEL_CHARACTERS} characters`)
  .refine(hasNoControls, CONTROLS_PROBLEM)
  .openapi({ maxLength: LABEL_CHARACTERS, example: "São Paulo 1" });

/** RFC 1929 and RFC 7617 allow no colon in a name, and at most 255 bytes. */
const username = z
  .string()
  .regex(/^[\x21-\x39\x3b-\x7e]{1,255}$/, "must be 1 to 255 visible ASCII characters without a colon")
  .openapi({ example: "gateway" });
const password = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, "must be 1 to 255 visible ASCII characters")
  .openapi({
    ...says({ en: "Stored encrypted and never shown again", pt: "A senha fica criptografada e não será mostrada de novo" }),
    example: "correct-horse-battery",
  });

const fields = {
  label,
  protocol: z.enum(PROXY_PROTOCOLS),
  host: z
    .string()
    .min(1)
    .max(253)
    .openapi({ ...says({ en: "A public name or address", pt: "Um nome ou endereço público" }), example: "proxy.example.com" }),
  port: z.number().int().min(1).max(65_535).openapi({ example: 3128 }),
  username: username.nullable(),
  password: password.nullable(),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, "must be two capital letters, as in ISO 3166")
    .nullable()
    .openapi({ ...says({ en: "The country: two letters of ISO 3166", pt: "O país: duas letras da ISO 3166" }), example: "BR" }),
  max_instances: z
    .number()
    .int()
    .min(1)
    .max(MAX_INSTANCES)
    .openapi(says({ en: "The maximum number of instances", pt: "O máximo de instâncias" })),
};

export const newProxy = z.strictObject({
  ...fields,
  username: fields.username.default(null),
  password: fields.password.default(null),
  country: fields.country.default(null),
  max_instances: fields.max_instances.default(10),
});

export const proxyChanges = z
  .strictObject({
    ...fields,
    is_active: z.boolean().openapi(
      says({
        en: "false: no new instances get it; the current ones keep it",
        pt: "false: nenhuma instância nova recebe o proxy; as atuais continuam com ele",
      }),
    ),
  })
  .partial();

export const assignment = z.strictObject({
  instance_ids: z
    .array(uuid)
    .min(1)
    .max(MAX_INSTANCES)
    .openapi(says({ en: "Instances of any account", pt: "Instâncias de qualquer conta" })),
});

export const ProxyHealth = z
  .object({
    status: proxyStatus.openapi({
      ...says({
        en: "`down` after 3 failed checks in a row; `unknown` before the first check",
        pt: "`down` depois de 3 verificações seguidas que falharam; `unknown` antes da primeira",
      }),
      example: "healthy",
    }),
    latency_ms: count.nullable().openapi({
      ...says({ en: "Of the last handshake with WhatsApp through it", pt: "Da última conexão com o WhatsApp por ele" }),
      example: 210,
    }),
    exit_ip: z
      .string()
      .nullable()
      .openapi({ ...says({ en: "The address that WhatsApp sees", pt: "O endereço que o WhatsApp vê" }), example: "8.8.8.8" }),
    exit_country: z
      .string()
      .nullable()
      .openapi({ ...says({ en: "The country of that address", pt: "O país desse endereço" }), example: "BR" }),
    success_rate_1h: z
      .number()
      .nullable()
      .openapi({
        ...says({ en: "0 to 1, over the checks of the last hour", pt: "De 0 a 1, nas verificações da última hora" }),
        example: 1,
      }),
    consecutive_failures: count.openapi({ example: 0 }),
    checked_at: iso.nullable(),
    last_error: z
      .enum(PROXY_ERRORS)
      .nullable()
      .openapi({ ...says({ en: "Why the last check failed", pt: "Por que a última verificação falhou" }), example: null }),
  })
  .openapi("ProxyHealth");

const proxyFields = {
  id: z.string(),
  label: z.string().openapi({ example: "São Paulo 1" }),
  protocol: z.enum(PROXY_PROTOCOLS),
  host: z.string().openapi({ example: "proxy.example.com" }),
  port: count.openapi({ example: 3128 }),
  username: z.string().nullable().openapi({ example: "gateway" }),
  has_password: z.boolean(),
  country: z.string().nullable().openapi({ example: "BR" }),
  max_instances: count.openapi({ example: 10 }),
  assigned: count.openapi({ ...says({ en: "The number of instances on it", pt: "Quantas instâncias usam o proxy" }), example: 3 }),
  is_active: z.boolean(),
  health: ProxyHealth,
  created_at: iso,
};

export const Proxy = z.object(proxyFields).openapi("Proxy");

export const ProxyWithInstances = z
  .object({
    ...proxyFields,
    instances: z
      .array(
        z.object({
          id: z.string().openapi({ format: "uuid" }),
          name: z.string().openapi({ example: "Store" }),
          user_id: z.string(),
          phone_number: phoneOrNull,
          status: z
            .string()
            .nullable()
            .openapi({
              ...says({
                en: "As last recorded; null before the first time",
                pt: "O resultado da última verificação; null antes da primeira",
              }),
              example: "connected",
            }),
        }),
      )
      .openapi(says({ en: "The instances on it, oldest first", pt: "As instâncias que usam o proxy, as mais antigas primeiro" })),
  })
  .openapi("ProxyWithInstances");

export const ProxyHealthSummary = z
  .object({
    total: count,
    healthy: count,
    degraded: count,
    down: count,
    unknown: count,
    items: z.array(
      ProxyHealth.extend({
        proxy_id: z.string(),
        label: z.string().openapi({ example: "São Paulo 1" }),
        assigned: count,
        down_since: iso.nullable().openapi({
          ...says({
            en: "When it went down; null if it is not down",
            pt: "Quando saiu do ar; null se não está fora do ar",
          }),
          example: null,
        }),
        instance_ids: z.array(z.string().openapi({ format: "uuid" })).openapi({
          ...says({
            en: "For a proxy that is down: its instances, in the format that an assignment accepts",
            pt: "Em um proxy fora do ar: as instâncias dele, no formato que a atribuição aceita",
          }),
          example: [],
        }),
      }).openapi("ProxyHealthItem"),
    ),
  })
  .openapi("ProxyHealthSummary");
