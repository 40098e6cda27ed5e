import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { Ban, NewChatQuota, numberHealth, Restriction } from "#root/src/http/number-health-fields.ts";
import { CLOUD_CREDENTIALS } from "@gateway/protocol/cloud.ts";
import { INSTANCE_STATUSES } from "@gateway/protocol/connection.ts";
import { STATUS_REASONS } from "@gateway/domain/instance/state.ts";
import { InstanceSettings, InstanceSettingsChange } from "@gateway/protocol/instance-settings.ts";
import { phoneOrNull } from "../fields.ts";
import { iso, name, uuid } from "../account/fields.ts";
import { newWebhook } from "../webhooks/view.ts";

export const kind = z.enum(["session", "cloud_api"]);
export const status = z.enum(INSTANCE_STATUSES);

const metadata = z
  .record(z.string().min(1).max(40), z.string().max(500))
  .refine((parsed) => Object.keys(parsed).length <= 20, { error: "at most 20 keys" })
  .openapi({ type: "object", additionalProperties: { type: "string", maxLength: 500 }, example: { customer: "4711" } });

// Schemas from src/protocol have no OpenAPI metadata, but these copies do.
const settings = z.strictObject(InstanceSettingsChange.shape).openapi("SettingsChange");
export const Settings = z.object(InstanceSettings.shape).openapi("Settings");
const proxyId = uuid
  .nullable()
  .openapi(says({ en: "A proxy that an administrator has set up", pt: "Um proxy que um administrador configurou" }));

const cloudApi = z.strictObject(CLOUD_CREDENTIALS);

export const newInstance = z
  .strictObject({
    name,
    kind: kind.default("session"),
    connect: z.boolean().default(true),
    settings: settings.optional(),
    metadata: metadata.optional(),
    proxy_id: proxyId.optional(),
    cloud_api: cloudApi.optional(),
    webhook: newWebhook.omit({ instance_id: true }).optional(),
  })
  .superRefine(({ kind: requested, cloud_api }, context) => {
    if ((requested === "cloud_api") === (cloud_api !== undefined)) return;
    const problem = requested === "cloud_api" ? "is required for this kind" : "is only for instances of the kind cloud_api";
    context.addIssue({ code: "custom", path: ["cloud_api"], message: problem, input: cloud_api });
  })
  .openapi({
    oneOf: [
      { properties: { kind: { type: "string", enum: ["session"] } }, not: { required: ["cloud_api"] } },
      { properties: { kind: { type: "string", enum: ["cloud_api"] } }, required: ["kind", "cloud_api"] },
    ],
  });

export const instanceChanges = z
  .strictObject({ name, settings, metadata, proxy_id: proxyId, cloud_api: cloudApi })
  .partial()
  .refine((body) => Object.values(body).some((value) => value !== undefined), { error: "must have at least one field" })
  .openapi({ minProperties: 1 });

const count = z.number().int();
const Reconnect = z.object({ attempt: count, next_at: iso });

/** All of an object's status reasons, and one more for an object that does not respond. */
const SHOWN_STATUS_REASONS: readonly string[] = [...STATUS_REASONS, "unavailable"];

const state = {
  status,
  status_reason: z.enum(SHOWN_STATUS_REASONS).openapi({ example: "ok" }),
  status_changed_at: iso.nullable(),
  phone_number: phoneOrNull,
  qr_expires_at: iso.nullable(),
  reconnect: Reconnect.nullable(),
  restriction: Restriction.nullable(),
  ban: Ban.nullable(),
  new_chat_quota: NewChatQuota.nullable(),
};

export const InstanceStatus = z.object(state).openapi("InstanceStatus");

export const Instance = z
  .object({
    id: z.string().openapi({ format: "uuid" }),
    user_id: z.string().openapi(says({ en: "Its owner", pt: "A quem pertence" })),
    name: z.string(),
    kind,
    ...state,
    profile_name: z.string().nullable(),
    profile_picture_url: z.string().nullable(),
    platform: z.string().nullable(),
    is_business: z.boolean().nullable(),
    settings: Settings,
    metadata: z.record(z.string(), z.string()),
    proxy_id: z.string().nullable(),
    last_connected_at: iso.nullable(),
    last_disconnected_at: iso.nullable(),
    last_inbound_at: iso.nullable(),
    cloud_api: z.object({ phone_number_id: z.string(), waba_id: z.string(), access_token_last4: z.string() }).nullable(),
    created_at: iso,
    updated_at: iso,
  })
  .openapi("Instance");

export const Qr = z
  .object({
    qr: z.string().openapi(says({ en: "PNG as a data URL", pt: "PNG como data URL" })),
    raw: z.string().openapi(says({ en: "The text of the QR code", pt: "O texto do QR code" })),
  })
  .openapi("Qr");

export const pairingCode = z
  .string()
  .regex(/^[A-Z1-9]{8}$/)
  .openapi(says({ en: "Your own code: 8 characters A-Z 1-9", pt: "Um código à sua escolha: 8 caracteres A-Z 1-9" }));

export const PairingCode = z
  .object({ code: z.string().openapi({ example: "ABCD-EFGH" }), phone_number: z.string(), expires_at: iso })
  .openapi("PairingCode");

export const NumberHealth = numberHealth({
  score: { en: "0 to 100", pt: "De 0 a 100" },
  rate: { en: "0 to 1; null without sends", pt: "De 0 a 1; null sem envios" },
  code463: {
    en: "Sends rejected with 463, in new and in existing chats",
    pt: "Envios recusados com 463, em conversas novas e em conversas que já existiam",
  },
  quality_rating: { en: "Only for the kind cloud_api", pt: "Só no tipo cloud_api" },
  checked_at: {
    en: "When WhatsApp was last asked; at most every ten minutes",
    pt: "Quando o WhatsApp foi consultado; no máximo a cada dez minutos",
  },
});

export const Capabilities = z
  .object({
    kind,
    is_business: z
      .boolean()
      .nullable()
      .openapi(says({ en: "null while it is not known", pt: "null enquanto desconhecido" })),
    features: z.record(z.string(), z.boolean()).openapi({
      ...says({ en: "Supported features, by name", pt: "O que funciona, por nome" }),
      example: { "chats.messages": true },
    }),
    routes: z
      .array(
        z.object({
          method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"] as readonly string[]),
          path: z.string(),
          supported: z.boolean(),
          reason: z.enum(["not_supported", "business_account_required"]).nullable(),
          unsupported_fields: z.array(z.string()).openapi(
            says({
              en: "Body fields that this kind of number does not accept",
              pt: "Campos do corpo que este tipo de número não aceita",
            }),
          ),
        }),
      )
      .openapi(says({ en: "The same, by route", pt: "O mesmo, por rota" })),
    limits: z
      .record(z.string(), z.number())
      .openapi(says({ en: "All limits; the unit is in the name", pt: "Todos os limites; a unidade está no nome" })),
  })
  .openapi("Capabilities");

export const HistorySync = z
  .object({
    state: z.enum(["idle", "running", "paused", "complete"]),
    progress: z
      .number()
      .nullable()
      .openapi(says({ en: "Percent; null while it is not known", pt: "Porcentagem; null enquanto desconhecida" })),
    chats: count.openapi(says({ en: "Stored in total", pt: "Total guardado" })),
    messages: count.openapi(says({ en: "Stored in total", pt: "Total guardado" })),
  })
  .openapi("HistorySync");
