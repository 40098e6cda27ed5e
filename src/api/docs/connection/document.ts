import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { FAILURE_ANSWERS } from "@gateway/domain/failures/answers.ts";
import { PORTUGUESE } from "@gateway/domain/failures/portuguese.ts";
import { Ban, NewChatQuota, Restriction } from "#root/src/http/number-health-fields.ts";
import { openApiDocument } from "#root/src/http/openapi/document.ts";
import type { OpenApiDocument } from "#root/src/http/openapi/shape.ts";
import type { DocumentedRoute, DocumentedSurface } from "#root/src/http/openapi/surface.ts";
import { API_TITLES, type Language } from "#root/src/http/openapi/text.ts";
import type { FailureCode } from "@gateway/protocol/failures.ts";
import { businessProfile } from "../../contacts/view.ts";
import { CONNECTION_WEBHOOKS } from "../../events/connection/events.ts";
import { hasRequestId } from "../../connection/failure.ts";
import { media } from "../../file-field.ts";
import { LinkPreview } from "../../messages/file-sends.ts";
import { FAMILIES, type Route, ROUTES } from "../../connection/routes.ts";
import { VIEWS } from "../../connection/style.ts";
import { FIELD_DESCRIPTIONS } from "./field-descriptions.ts";

const PREFIX = "/api/v1";
const REQUEST_ID = "9f8e7d6c5b4a";

const ALWAYS: readonly FailureCode[] = [
  "unauthorized",
  "subscription_required",
  "account_suspended",
  "rate_limited",
  "too_many_attempts",
  "internal_error",
  "unavailable",
];
const WITH_BODY: readonly FailureCode[] = ["invalid_json", "unsupported_media_type"];
/** Requests that change something may have a body even where none is declared. */
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
    ].map((code) => FAILURE_ANSWERS[code].codigo),
  ),
];

const Problem = z.object({
  error: z.object({
    codigo: z.enum(answered).openapi({
      ...says({ en: "Stable; base your program's decisions on it", pt: "Estável; use-o nas decisões do seu sistema" }),
      example: "requisicao_invalida",
    }),
    mensagem: z
      .string()
      .openapi({ ...says({ en: "For people; it may change", pt: "Para pessoas; pode mudar" }), example: PORTUGUESE.validation_error }),
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
        pt: "O mesmo do cabeçalho `X-Request-Id`. Informe-o ao suporte. Só vem com `erro_interno`",
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
          pt: "A chave da conexão. Se você enviar os dois cabeçalhos, este vence.",
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
      name: (code) => FAILURE_ANSWERS[code].codigo,
      body: (code) => {
        const { codigo } = FAILURE_ANSWERS[code];
        const error = { codigo, mensagem: PORTUGUESE[code] };
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
