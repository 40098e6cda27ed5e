// Surface B as an OpenAPI document: everything in it comes from the route table, the notes and the guide.
import { z } from "@hono/zod-openapi";
import { FAILURE_ANSWERS } from "../../domain/failures/answers.ts";
import { PORTUGUESE } from "../../domain/failures/portuguese.ts";
import { openApiDocument } from "../../http/openapi/document.ts";
import type { OpenApiDocument } from "../../http/openapi/shape.ts";
import type { DocumentedRoute, DocumentedSurface } from "../../http/openapi/surface.ts";
import type { FailureCode } from "../../protocol/failures.ts";
import { ROUTES } from "../routes.ts";
import { guide } from "./guide.ts";
import { notesOf } from "./notes.ts";
import { TAGS } from "./tags.ts";

const PREFIX = "/api/v1";

const Problem = z.object({
  error: z.object({
    codigo: z.string().openapi({ description: "Estável: é por ele que um sistema decide", example: "requisicao_invalida" }),
    mensagem: z.string().openapi({ description: "Para pessoas; pode mudar", example: PORTUGUESE.validation_error }),
    detalhes: z
      .union([z.array(z.object({ campo: z.string(), motivo: z.string() })), z.record(z.string(), z.unknown())])
      .optional()
      .openapi({ description: "Os campos errados, ou o que mais se sabe do erro" }),
  }),
});

const ALWAYS: readonly FailureCode[] = [
  "unauthorized",
  "subscription_required",
  "rate_limited",
  "too_many_attempts",
  "internal_error",
  "unavailable",
];
const WITH_BODY: readonly FailureCode[] = ["invalid_json", "body_too_large", "unsupported_media_type"];

function commonFailures(route: DocumentedRoute): readonly FailureCode[] {
  const { counted } = ROUTES.find((row) => row.method === route.method && row.path === route.path) ?? { counted: false };
  const hasInput = route.params !== null || route.query !== null || route.body !== null;
  return [
    ...ALWAYS,
    ...(hasInput ? (["validation_error"] as const) : []),
    ...(route.body === null ? [] : WITH_BODY),
    ...(route.mutating ? (["invalid_idempotency_key"] as const) : []),
    ...(counted ? (["repeated_read"] as const) : []),
  ];
}

export function connectionSurface(appUrl: string): DocumentedSurface {
  return {
    title: "API da conexão",
    version: "1.0",
    description: guide(appUrl),
    server: appUrl,
    prefix: PREFIX,
    language: "pt-BR",
    tags: TAGS,
    routes: ROUTES,
    notesOf,
    credentials: {
      apiKey: {
        type: "apiKey",
        in: "header",
        name: "X-Api-Key",
        description: "A chave da conexão. Vence quando os dois cabeçalhos são enviados.",
      },
      bearer: { type: "http", scheme: "bearer", description: "A mesma chave, como `Authorization: Bearer svc_…`." },
    },
    commonFailures,
    failure: {
      schema: Problem,
      name: (code) => FAILURE_ANSWERS[code].codigo,
      sentence: (code) => PORTUGUESE[code],
      body: (code) => ({ error: { codigo: FAILURE_ANSWERS[code].codigo, mensagem: PORTUGUESE[code] } }),
    },
    words: {
      success: "Feito.",
      idempotencyKey: "De 1 a 255 caracteres ASCII visíveis. O mesmo valor, em 24 horas, recebe a primeira resposta e não repete a ação.",
      requestId: "Informe-o ao suporte.",
      retryAfter: "Segundos a esperar.",
      example: "texto",
    },
  };
}

export function connectionDocument(appUrl: string): OpenApiDocument {
  return openApiDocument(connectionSurface(appUrl));
}
