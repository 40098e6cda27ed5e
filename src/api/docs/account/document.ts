import { says } from "#root/src/http/openapi/documentation.ts";
import { API_TITLES, type Language } from "#root/src/http/openapi/text.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { FAILURE_TEXTS } from "@gateway/domain/failures/texts.ts";
import { SHARED_FIELDS } from "../shared/field-descriptions.ts";
import { openApiDocument } from "#root/src/http/openapi/document.ts";
import type { OpenApiDocument } from "#root/src/http/openapi/shape.ts";
import type { DocumentedRoute, DocumentedSurface } from "#root/src/http/openapi/surface.ts";
import { needsSubscription } from "@gateway/protocol/operations.ts";
import type { FailureCode } from "@gateway/protocol/failures.ts";
import { ACCOUNT_WEBHOOKS } from "../../events/account/events.ts";
import type { AccountRow, Family } from "../../route.ts";
import { businessProfile } from "../../contacts/view.ts";
import { media } from "../../file-field.ts";
import { LinkPreview } from "../../messages/text-send.ts";
import { VIEWS } from "../../account/style.ts";
import { Settings } from "../../instances/schemas.ts";
import { Ban, NewChatQuota, Restriction } from "#root/src/http/number-health-fields.ts";
import { FIELD_DESCRIPTIONS } from "./field-descriptions.ts";
import { isoOfSeconds } from "@gateway/domain/iso-times.ts";

const INSTANCE = "0189a5b2-7c3d-7e4f-8a9b-0c1d2e3f4a5b";
const TIME = isoOfSeconds(1_795_176_000);

const SAMPLES: Readonly<Record<string, unknown>> = {
  id: INSTANCE,
  user_id: "a1b2c3d4e5f6",
  instance_id: INSTANCE,
  name: "Store",
  email: "ana@example.com",
  profile_name: "Store",
  full_name: "Ana Souza",
  question: "Which day?",
  from: "5511900000002@c.us",
  to: "5511900000001@c.us",
  text: "Hello!",
  timestamp: TIME,
  event: "message.received",
  url: "https://hooks.example.com/gateway",
  code: "ABCD-EFGH",
  status_reason: "ok",
  version: "1.0",
  message: "Done.",
};

const PREFIX = "/api";
/** Paths have no version segment (docs/use/apis.md, "Versions"). */
const VERSION = "1.0";

const ALWAYS: readonly FailureCode[] = [
  "unauthorized",
  "account_suspended",
  "rate_limited",
  "too_many_attempts",
  "internal_error",
  "unavailable",
];
const BEFORE_ANY_ROUTE: readonly FailureCode[] = ["route_not_found", "method_not_allowed", "https_required"];
const WITH_BODY: readonly FailureCode[] = ["invalid_json", "unsupported_media_type"];
/** Failures of requests that change something. Such requests may have a body even if the route declares none. */
const OF_CHANGES: readonly FailureCode[] = ["invalid_idempotency_key", "body_incomplete", "content_differs", "body_too_large"];

function commonFailures(route: AccountRow): readonly FailureCode[] {
  if (route.kind === "public") return [];
  const hasInput = route.params !== null || route.query !== null || route.body !== null;
  return [
    ...ALWAYS,
    ...(hasInput ? (["validation_error"] as const) : []),
    ...(route.body === null ? [] : WITH_BODY),
    ...(route.mutating ? OF_CHANGES : []),
    ...(route.mutating || (route.kind === "operation" && !route.counted) ? [] : (["repeated_read"] as const)),
    "forbidden",
    ...(route.path.includes("{instanceId}") ? (["instance_not_found"] as const) : []),
    ...(route.kind === "operation" && (route.kinds.length < 2 || Object.keys(route.fields).length > 0) ? (["not_supported"] as const) : []),
    ...(route.kind === "operation" && needsSubscription(route.operation) ? (["subscription_required"] as const) : []),
  ];
}

function problemOf(codes: readonly FailureCode[]) {
  return z.object({
    error: z.object({
      code: z.enum([...new Set(codes)]).openapi({
        ...says({ en: "Stable; base your program's decisions on it", pt: "Estável; use-o nas decisões do seu programa" }),
        example: "validation_error",
      }),
      message: z.string().openapi({
        ...says({ en: "For people; it may change", pt: "Para pessoas lerem; pode mudar" }),
        example: FAILURE_TEXTS.validation_error.en,
      }),
      details: z
        .union([z.array(z.object({ field: z.string(), issue: z.string() })), z.record(z.string(), z.unknown())])
        .optional()
        .openapi(says({ en: "The invalid fields, or other facts about the error", pt: "Os campos inválidos, ou outros dados do erro" })),
    }),
    request_id: z.string().openapi(says({ en: "Quote it when you contact support", pt: "Informe-o ao suporte" })),
  });
}

const documents = new Map<string, OpenApiDocument>();

export function accountDocument(baseUrl: string, families: readonly Family<AccountRow>[], language: Language = "en"): OpenApiDocument {
  const key = `${language} ${baseUrl}`;
  const document = documents.get(key) ?? openApiDocument(accountSurface(baseUrl, families), language);
  documents.set(key, document);
  return document;
}

export function accountSurface(baseUrl: string, families: readonly Family<AccountRow>[]): DocumentedSurface {
  const routes = families.flatMap(({ name, routes }) => routes.map((row) => ({ ...row, tag: name })));
  const rows = new Map<DocumentedRoute, AccountRow>(routes.map((row) => [row, row]));
  const codes = [...routes.flatMap((row) => [...commonFailures(row), ...(row.failures ?? [])]), ...BEFORE_ANY_ROUTE];
  return {
    title: API_TITLES.account,
    version: VERSION,
    guides: "account",
    server: baseUrl,
    prefix: PREFIX,
    tags: families.map(({ name, title, description }) => ({ name, title, description })),
    routes,
    webhooks: ACCOUNT_WEBHOOKS,
    credentials: {
      apiKey: {
        type: "apiKey",
        in: "header",
        name: "X-Api-Key",
        description: {
          en: "A key of the account. If you send both headers, this one wins.",
          pt: "Uma chave da conta. Se você enviar os dois cabeçalhos, vale este.",
        },
      },
      bearer: {
        type: "http",
        scheme: "bearer",
        bearerFormat: "JWT",
        description: { en: "An access token of the identity provider.", pt: "Um token de acesso do provedor de identidade." },
      },
    },
    commonFailures: (route) => {
      const row = rows.get(route);
      return row === undefined ? [] : commonFailures(row);
    },
    failure: {
      schema: problemOf(codes),
      codeField: "code",
      name: (code) => code,
      body: (code) => ({ error: { code, message: FAILURE_TEXTS[code].en }, request_id: "9f8e7d6c5b4a" }),
    },
    texts: {
      success: { en: "Done.", pt: "Feito." },
      idempotencyKey: {
        en: "1 to 255 visible ASCII characters. Within 24 hours, the same value returns the first response and does not repeat the action.",
        pt: "De 1 a 255 caracteres ASCII visíveis. Em 24 horas, o mesmo valor recebe a primeira resposta e não repete a ação.",
      },
      example: "text",
    },
    schemaPrefix: "Account",
    schemas: {
      Restriction,
      Ban,
      NewChatQuota,
      Settings,
      File: media,
      LinkPreview,
      Media: VIEWS.media.schema,
      BusinessProfile: businessProfile.schema,
    },
    fieldDescriptions: { ...SHARED_FIELDS, ...FIELD_DESCRIPTIONS },
    samples: SAMPLES,
  };
}
