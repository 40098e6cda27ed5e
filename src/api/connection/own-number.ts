// The number that the calling key belongs to. Only its owner may create, delete, log out or share it, or manage its keys and webhook.
import * as z from "#root/src/http/openapi/zod.ts";
import { formatPairingCode } from "@gateway/domain/instance/owner-commands.ts";
import { qrImage } from "@gateway/domain/instance/qr-image.ts";
import { isoOfSeconds, isoOfMs } from "@gateway/domain/iso-times.ts";
import { digits, iso, phoneOrNull } from "../fields.ts";
import { done } from "../responses.ts";
import { PASSKEY_TEXTS, passkeyBody, passkeyExample, wantedPasskey } from "../instances/session.ts";
import { type Family, route } from "../route.ts";
import { renderHealth, renderBan, renderRestriction } from "#root/src/http/number-health.ts";
import { renderCapabilities } from "../instances/capabilities.ts";
import { documented, says } from "#root/src/http/openapi/documentation.ts";
import { numberHealth, Ban, Restriction } from "#root/src/http/number-health-fields.ts";
import type { InstanceRecord } from "@gateway/protocol/records.ts";
import { STATUS_REASONS } from "@gateway/domain/instance/state.ts";
import { INSTANCE_STATUSES } from "@gateway/protocol/connection.ts";

const Instance = z
  .object({
    id: z.number().int(),
    name: z.string(),
    phone: phoneOrNull,
    kind: z.enum(["session", "cloud_api"]),
    status: z.enum(INSTANCE_STATUSES),
    status_reason: z.enum(STATUS_REASONS as readonly string[]),
    status_changed_at: iso,
    profile_name: z.string().nullable(),
    profile_picture_url: z.string().nullable(),
    restriction: Restriction.nullable(),
    ban: Ban.nullable(),
    subscription: z.object({ status: z.string(), current_period_end: iso.nullable() }).nullable(),
  })
  .openapi("Instance");

const Qr = z
  .object({ qr: z.string().openapi(says({ en: "PNG as a data URL", pt: "PNG como data URL" })), raw: z.string(), expires_at: iso })
  .openapi("Qr");

const PairingCode = z
  .object({ code: z.string().openapi({ example: "ABCD-EFGH" }), phone_number: z.string(), expires_at: iso })
  .openapi("PairingCode");

function renderInstance(record: InstanceRecord): z.input<typeof Instance> {
  const { id, name, phone, kind, status, status_reason, profile_name, restriction, subscription } = record;
  return {
    id,
    name,
    phone,
    kind,
    status,
    status_reason,
    profile_name,
    subscription,
    status_changed_at: isoOfMs(record.status_changed_at),
    profile_picture_url: null,
    restriction: restriction === null ? null : renderRestriction(restriction),
    ban: renderBan(record.ban),
  };
}

const NumberHealth = numberHealth({
  score: { en: "0 to 100", pt: "De 0 a 100" },
  rate: { en: "0 to 1; null when nothing was sent", pt: "De 0 a 1; null sem envios" },
  code463: {
    en: "Sends rejected with 463, in new and in existing chats",
    pt: "Envios recusados com 463, em conversas novas e em conversas que já existiam",
  },
  quality_rating: { en: "Only for Cloud API connections", pt: "Só em conexões da Cloud API" },
  checked_at: {
    en: "When WhatsApp was last asked; at most every ten minutes",
    pt: "Quando o WhatsApp foi consultado; no máximo a cada dez minutos",
  },
});

const Capabilities = z
  .object({
    kind: z.enum(["session", "cloud_api"]),
    is_business: z
      .boolean()
      .nullable()
      .openapi(says({ en: "null while unknown", pt: "null enquanto desconhecido" })),
    features: z.record(z.string(), z.boolean()).openapi({
      ...says({ en: "Supported features, by name", pt: "O que funciona, por nome" }),
      example: { "messages.poll": true, "messages.list": false },
    }),
    routes: z
      .array(
        z.object({
          method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"] as readonly string[]),
          path: z.string(),
          supported: z.boolean(),
          reason: z.enum(["nao_suportado", "exige_conta_comercial"]).nullable(),
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

const NAMING = {
  prefix: "/api/v1",
  base: "",
  reasons: { not_supported: "nao_suportado", business_account_required: "exige_conta_comercial" },
} as const;

const healthRoutes = [
  route({
    method: "get",
    path: "/instance/health",
    name: "getInstanceHealth",
    effect: "read",
    operation: "instance.health",
    summary: documented({
      en: "The health of the number: restrictions, quota of new chats, deliveries and disconnections of the last 24 hours",
      pt: "A saúde do número: restrições, cota de conversas novas, entregas e quedas das últimas 24 horas",
    }),
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
    summary: documented({
      en: "The supported features of this connection, and all limits",
      pt: "O que funciona nesta conexão, e todos os limites",
    }),
    description: documented({
      en: "Tells you in advance what this kind of connection supports. Everything else returns 501 `nao_suportado`.",
      pt: "Mostra com antecedência o que este tipo de conexão oferece. O resto responde 501 `nao_suportado`.",
    }),
    failures: [],
    input: () => ({}),
    response: z.object({ data: Capabilities }),
    render: (connection, { routes }) => ({ data: renderCapabilities(connection, routes, NAMING) }),
  }),
];

const instanceRoutes = [
  route({
    method: "get",
    path: "/instance",
    name: "getInstance",
    effect: "read",
    operation: "instance.get",
    counted: true,
    cached: true,
    summary: documented({ en: "The connection of this key", pt: "A conexão desta chave" }),
    failures: [],
    input: () => ({}),
    response: z.object({ data: Instance }),
    render: (record) => ({ data: renderInstance(record) }),
  }),
  route({
    method: "get",
    path: "/instance/qr",
    name: "getQrCode",
    effect: "read",
    operation: "instance.qr",
    counted: true,
    noStore: true,
    summary: documented({
      en: "The QR code for pairing, while the status is scan_qr",
      pt: "O QR code para parear, enquanto o status é scan_qr",
    }),
    description: documented({
      en: "Exists only while `status` is `scan_qr`. Never comes from the cache: each code is valid for a few seconds.",
      pt: "Existe só enquanto `status` é `scan_qr`. Nunca vem do cache: cada código vale poucos segundos.",
    }),
    failures: ["qr_not_available", "not_supported"],
    input: () => ({}),
    response: z.object({ data: Qr }),
    render: ({ raw, expires_at }) => ({ data: { qr: qrImage(raw), raw, expires_at: isoOfSeconds(expires_at) } }),
  }),
  route({
    method: "post",
    path: "/instance/pairing-code",
    name: "requestPairingCode",
    effect: "change",
    operation: "instance.pairing_code",
    noStore: true,
    summary: documented({ en: "A pairing code, instead of a QR code", pt: "Um código de pareamento, no lugar do QR code" }),
    failures: ["invalid_number", "already_connected", "instance_not_connected", "instance_reconnecting", "not_supported"],
    example: {
      body: {
        phone_number: "5511900000001",
      },
    },
    body: z.strictObject({ phone_number: digits }),
    input: ({ body }) => ({ phone: body.phone_number, code: null }),
    response: z.object({ data: PairingCode }),
    render: ({ code, phone, expires_at }) => ({
      data: { code: formatPairingCode(code), phone_number: phone, expires_at: isoOfSeconds(expires_at) },
    }),
  }),
  route({
    method: "get",
    path: "/instance/passkey",
    name: "getPasskeyRequest",
    effect: "read",
    operation: "instance.passkey",
    counted: true,
    noStore: true,
    ...PASSKEY_TEXTS.read,
    failures: ["passkey_not_wanted", "not_supported"],
    input: () => ({}),
    ...wantedPasskey,
  }),
  route({
    method: "post",
    path: "/instance/passkey",
    name: "answerPasskeyRequest",
    effect: "change",
    operation: "instance.passkey_assertion",
    ...PASSKEY_TEXTS.answer,
    failures: ["passkey_not_wanted", "passkey_refused", "instance_reconnecting", "not_supported"],
    example: passkeyExample,
    body: passkeyBody,
    input: ({ body }) => body,
    ...done,
  }),
  route({
    method: "post",
    path: "/instance/connect",
    name: "connectInstance",
    effect: "change",
    operation: "instance.connect",
    summary: documented({ en: "Connects the number", pt: "Conecta o número" }),
    failures: ["cloud_credentials_invalid"],
    input: () => ({ force_new_pairing: false }),
    ...done,
  }),
  route({
    method: "post",
    path: "/instance/disconnect",
    name: "disconnectInstance",
    effect: "change",
    operation: "instance.disconnect",
    summary: documented({ en: "Disconnects the number and keeps the session", pt: "Desconecta o número e mantém a sessão" }),
    failures: [],
    input: () => ({}),
    ...done,
  }),
  route({
    method: "post",
    path: "/instance/restart",
    name: "restartInstance",
    effect: "change",
    operation: "instance.restart",
    summary: documented({ en: "Restarts the session", pt: "Reinicia a sessão" }),
    failures: ["cloud_credentials_invalid"],
    input: () => ({}),
    ...done,
  }),
];

export const ownNumber: Family = {
  name: "instance",
  title: documented({ en: "Connection", pt: "Conexão" }),
  description: documented({
    en: "The connection of this key: state, pairing, health.",
    pt: "A conexão desta chave: status, pareamento e saúde.",
  }),
  routes: [...instanceRoutes, ...healthRoutes],
};
