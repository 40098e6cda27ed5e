import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { FAILURE_RESPONSES } from "@gateway/domain/failures/responses.ts";
import { FAILURE_TEXTS } from "@gateway/domain/failures/texts.ts";
import { Ban, NewChatQuota, Restriction } from "#root/src/http/number-health-fields.ts";
import { openApiDocument } from "#root/src/http/openapi/document.ts";
import type { OpenApiDocument } from "#root/src/http/openapi/shape.ts";
import type { DocumentedRoute, DocumentedSurface } from "#root/src/http/openapi/surface.ts";
import { API_TITLES, type Language, type Text } from "#root/src/http/openapi/text.ts";
import type { FailureCode } from "@gateway/protocol/failures.ts";
import { businessProfile } from "../../contacts/view.ts";
import { CONNECTION_WEBHOOKS } from "../../events/connection/events.ts";
import { hasRequestId } from "../../connection/failure.ts";
import { media } from "../../file-field.ts";
import { LinkPreview } from "../../messages/text-send.ts";
import { FAMILIES, type Route, ROUTES } from "../../connection/routes.ts";
import { VIEWS } from "../../connection/style.ts";
import { SHARED_FIELDS } from "../shared/field-descriptions.ts";

// Descriptions of fields found only in the Connection API. The keys are names, or `PairingCode.code` if one schema needs a different text.
export const FIELD_DESCRIPTIONS: Readonly<Record<string, Text>> = {
  ...SHARED_FIELDS,
  codigo: { en: "Stable; base your program's decisions on it", pt: "Estável; use-o nas decisões do seu sistema" },
  campo: { en: "The field; nested ones as `media.url`", pt: "O campo; os aninhados aparecem como `media.url`" },
  motivo: { en: "The problem with it", pt: "O que há de errado com ele" },
  Error: { en: "An error", pt: "Um erro" },
  "Error.error": { en: "The error", pt: "O erro" },
  id: { en: "The number of the connection", pt: "O número da conexão" },
  name: { en: "Its name", pt: "O nome" },
  Instance: { en: "The connection of the key", pt: "A conexão da chave" },
  "Instance.name": { en: "The name of the connection in the dashboard", pt: "O nome da conexão no painel" },
  kind: {
    en: "session: a linked device; cloud_api: a number of Meta's Cloud API",
    pt: "session: um dispositivo conectado; cloud_api: um número da Cloud API da Meta",
  },
  "Instance.status": {
    en: "The state of the connection",
    pt: "O status da conexão",
  },
  "Instance.status_reason": { en: "The reason for this status", pt: "O motivo deste status" },
  status_changed_at: { en: "When the status last changed", pt: "Quando o status mudou pela última vez" },
  profile_name: { en: "The name that others see", pt: "O nome que os outros veem" },
  profile_picture_url: {
    en: "Link to the profile picture; null if unknown",
    pt: "Link para a foto do perfil; null se desconhecida",
  },
  subscription: {
    en: "The owner's subscription; null without one",
    pt: "A assinatura do plano do dono; null se não há",
  },
  current_period_end: { en: "End of the paid period; null if unlimited", pt: "Fim do período pago; null sem prazo" },
  Restriction: { en: "WhatsApp does not let the number start new chats", pt: "O WhatsApp não deixa o número começar conversas novas" },
  "Restriction.type": { en: "What is restricted", pt: "O que está restrito" },
  enforcement: { en: "WhatsApp's name for the restriction", pt: "O nome da restrição no WhatsApp" },
  ends_at: { en: "When it ends; null if unknown", pt: "Quando termina; null se desconhecido" },
  detected_at: { en: "When it was first noticed", pt: "Quando foi percebida pela primeira vez" },
  Qr: { en: "A QR code for pairing", pt: "Um QR code para parear" },
  raw: { en: "The text of the QR code", pt: "O texto do QR code" },
  PairingCode: { en: "A code to type on the phone", pt: "Um código para digitar no celular" },
  "PairingCode.code": { en: "Enter it on the phone, under Linked devices", pt: "Digite o código no celular, em Dispositivos conectados" },
  phone_number: { en: "The number, digits only", pt: "O número, só dígitos" },
  NumberHealth: { en: "The health of the number", pt: "A saúde do número" },
  level: { en: "The score in one word", pt: "A nota em uma palavra" },
  sends_24h: { en: "Messages sent in the last 24 hours", pt: "Mensagens enviadas nas últimas 24 horas" },
  failed_24h: { en: "Sends that failed in the last 24 hours", pt: "Envios que falharam nas últimas 24 horas" },
  cold: { en: "In new chats", pt: "Em conversas novas" },
  warm: { en: "In existing chats", pt: "Em conversas que já existiam" },
  reconnects_24h: { en: "Disconnections in the last 24 hours", pt: "Quedas nas últimas 24 horas" },
  last_inbound_at: { en: "When the last message arrived", pt: "Quando chegou a última mensagem" },
  connected_since: {
    en: "When the number connected; null while it is offline",
    pt: "Quando o número se conectou; null enquanto não está conectado",
  },
  proxy: { en: "Always null in this API", pt: "Sempre null nesta API" },
  "NumberHealth.id": { en: "The proxy", pt: "O proxy" },
  "NumberHealth.status": { en: "The health of the proxy", pt: "A saúde do proxy" },
  latency_ms: { en: "The proxy's response time, in milliseconds", pt: "O tempo de resposta do proxy, em milissegundos" },
  NewChatQuota: { en: "The number of new chats that WhatsApp still allows", pt: "Quantas conversas novas o WhatsApp ainda permite" },
  total: {
    en: "New chats allowed in the cycle; null if WhatsApp does not say",
    pt: "Conversas novas permitidas no ciclo; null se o WhatsApp não informa o limite",
  },
  used: { en: "Already started", pt: "Conversas já iniciadas no ciclo" },
  cycle_ends_at: { en: "When the cycle ends", pt: "Quando o ciclo termina" },
  "NewChatQuota.status": { en: "How close to the limit the number is", pt: "Quão perto do limite o número está" },
  Capabilities: { en: "Supported features of the connection", pt: "O que funciona na conexão" },
  "Capabilities.method": { en: "The method of the route", pt: "O método da rota" },
  path: { en: "The path of the route, parameters as `{chatId}`", pt: "O caminho da rota, com parâmetros como `{chatId}`" },
  supported: { en: "Whether it works on this connection", pt: "Se funciona nesta conexão" },
  "Capabilities.reason": {
    en: "The error code of a call; null if it works",
    pt: "O código de erro da chamada; null quando funciona",
  },
  mensagem: { en: "For people; may change", pt: "Para pessoas lerem; pode mudar" },
  ban: {
    en: "For a temporary ban: the reason and the end; null without one",
    pt: "Em um banimento temporário: o motivo e o fim; null se não há",
  },
  Ban: { en: "A temporary ban by WhatsApp", pt: "Um banimento temporário do WhatsApp" },
  "Ban.code": {
    en: "WhatsApp's reason code: 101 messages to too many strangers, 102 blocked by many people, 103 too many groups, 104 same message too often, 106 too many broadcast messages; null if unknown",
    pt: "O código do motivo no WhatsApp: 101 mensagens a muitos desconhecidos, 102 bloqueado por muita gente, 103 grupos demais, 104 a mesma mensagem vezes demais, 106 listas de transmissão; null se desconhecido",
  },
  "Ban.ends_at": {
    en: "When it ends; the number then reconnects on its own. null if WhatsApp does not say",
    pt: "Quando termina; depois, o número se reconecta sozinho. null se o WhatsApp não informa",
  },
  restriction: { en: "The restriction by WhatsApp; null without one", pt: "A restrição do WhatsApp; null se não há" },
  new_chat_quota: {
    en: "The number of new chats that WhatsApp still allows; null if it does not say",
    pt: "Quantas conversas novas o WhatsApp ainda permite; null se ele não informa",
  },
};

const PREFIX = "/api/v1";
const REQUEST_ID = "9f8e7d6c5b4a";

const ALWAYS: readonly FailureCode[] = [
  "unauthorized",
  "subscription_required",
  "account_suspended",
  "scope_missing",
  "rate_limited",
  "too_many_attempts",
  "internal_error",
  "unavailable",
];
const WITH_BODY: readonly FailureCode[] = ["invalid_json", "unsupported_media_type"];
/** Failures of requests that change something. Such requests may have a body even if the route declares none. */
const OF_CHANGES: readonly FailureCode[] = ["invalid_idempotency_key", "body_incomplete", "content_differs", "body_too_large"];

function commonFailures(
  route: DocumentedRoute & { counted?: boolean; kinds?: Route["kinds"]; fields?: Route["fields"] },
): readonly FailureCode[] {
  const { counted = false, kinds = [], fields = {} } = route;
  const hasInput = route.params !== null || route.query !== null || route.body !== null;
  return [
    ...ALWAYS,
    ...(hasInput ? (["validation_error"] as const) : []),
    ...(route.body === null ? [] : WITH_BODY),
    ...(route.mutating ? OF_CHANGES : []),
    ...(kinds.length < 2 || Object.keys(fields).length > 0 ? (["not_supported"] as const) : []),
    ...(counted ? (["repeated_read"] as const) : []),
  ];
}

const answered = [
  ...new Set(
    [
      ...ROUTES.flatMap((row) => [...commonFailures(row), ...(row.failures ?? [])]),
      "route_not_found" as const,
      "method_not_allowed" as const,
      "https_required" as const,
    ].map((code) => FAILURE_RESPONSES[code].codigo),
  ),
];

const Problem = z.object({
  error: z.object({
    codigo: z.enum(answered).openapi({
      ...says({ en: "Stable; base your program's decisions on it", pt: "Estável; use-o nas decisões do seu sistema" }),
      example: "requisicao_invalida",
    }),
    mensagem: z.string().openapi({
      ...says({ en: "For people; it may change", pt: "Para pessoas lerem; pode mudar" }),
      example: FAILURE_TEXTS.validation_error.pt,
    }),
    detalhes: z
      .union([z.array(z.object({ campo: z.string(), motivo: z.string() })), z.record(z.string(), z.unknown())])
      .optional()
      .openapi(says({ en: "The invalid fields, or other facts about the error", pt: "Os campos inválidos, ou outros dados do erro" })),
  }),
  request_id: z
    .string()
    .optional()
    .openapi({
      ...says({
        en: "The same as the header `X-Request-Id`. Quote it when you contact support. Only with `erro_interno`",
        pt: "O mesmo valor do cabeçalho `X-Request-Id`. Informe-o ao suporte. Só vem com `erro_interno`",
      }),
      example: REQUEST_ID,
    }),
});

export function connectionSurface(appUrl: string): DocumentedSurface {
  return {
    title: API_TITLES.connection,
    version: "1.0",
    guides: "connection",
    server: appUrl,
    prefix: PREFIX,
    tags: FAMILIES,
    routes: ROUTES,
    webhooks: CONNECTION_WEBHOOKS,
    credentials: {
      apiKey: {
        type: "apiKey",
        in: "header",
        name: "X-Api-Key",
        description: {
          en: "The key of the connection. If you send both headers, this one wins.",
          pt: "A chave da conexão. Se você enviar os dois cabeçalhos, vale este.",
        },
      },
      bearer: {
        type: "http",
        scheme: "bearer",
        description: { en: "The same key, as `Authorization: Bearer svc_…`.", pt: "A mesma chave, como `Authorization: Bearer svc_…`." },
      },
    },
    schemas: {
      File: media,
      LinkPreview,
      Media: VIEWS.media.schema,
      BusinessProfile: businessProfile.schema,
      Restriction,
      Ban,
      NewChatQuota,
    },
    fieldDescriptions: FIELD_DESCRIPTIONS,
    commonFailures,
    failure: {
      schema: Problem,
      codeField: "codigo",
      name: (code) => FAILURE_RESPONSES[code].codigo,
      body: (code) => {
        const { codigo } = FAILURE_RESPONSES[code];
        const error = { codigo, mensagem: FAILURE_TEXTS[code].pt };
        return hasRequestId(code) ? { error, request_id: REQUEST_ID } : { error };
      },
    },
    texts: {
      success: { en: "Done.", pt: "Feito." },
      idempotencyKey: {
        en: "1 to 255 visible ASCII characters. Within 24 hours, the same value returns the first response and does not repeat the action.",
        pt: "De 1 a 255 caracteres ASCII visíveis. Em 24 horas, o mesmo valor recebe a primeira resposta e não repete a ação.",
      },
      example: "texto",
    },
  };
}

export function connectionDocument(appUrl: string, language: Language = "en"): OpenApiDocument {
  return openApiDocument(connectionSurface(appUrl), language);
}
