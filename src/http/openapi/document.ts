import { OpenAPIHono, type z } from "@hono/zod-openapi";
import { completed } from "./complete.ts";
import { headersOf, successHeaders } from "./response-headers.ts";
import type { OpenApiDocument } from "./shape.ts";
import type { DocumentedRoute, DocumentedSurface, RequestExample } from "./surface.ts";
import { registerWebhooks } from "./webhooks.ts";
import { inLanguage, type Language, LANGUAGE_TAGS, type Text } from "./text.ts";
import { FAILURE_RESPONSES } from "@gateway/domain/failures/responses.ts";
import { FAILURE_TEXTS } from "@gateway/domain/failures/texts.ts";
import { guide, type GuideTable } from "../../guides/guides.ts";
import type { FailureCode } from "@gateway/protocol/failures.ts";
import type { FieldRules, ConnectionKind } from "@gateway/protocol/operations.ts";
import { failureResponses, failuresOf, sharedResponses } from "./failure-responses.ts";

const READ: Text = { en: "Changes nothing.", pt: "Não muda nada." };
const CHANGE: Text = { en: "You can repeat it safely with `Idempotency-Key`.", pt: "Você pode repetir sem risco com `Idempotency-Key`." };
const DESTRUCTIVE: Text = { en: "You cannot restore what it removes.", pt: "O que esta ação remove não pode ser restaurado." };
const CACHED: Text = { en: "The response may come from a 10-second cache.", pt: "A resposta pode vir de um cache de 10 segundos." };
const BEARER_ONLY: Text = { en: "Requires a bearer token: a key is not enough.", pt: "Exige um token de acesso: uma chave não basta." };

function sentencesOf({ effect, cached, mutating, isPublic, bearerOnly }: DocumentedRoute): readonly Text[] {
  return [
    ...(effect === "read" ? [READ] : []),
    ...(effect === "destructive" ? [DESTRUCTIVE] : []),
    ...(mutating && isPublic !== true ? [CHANGE] : []),
    ...(cached === true ? [CACHED] : []),
    ...(bearerOnly === true ? [BEARER_ONLY] : []),
  ];
}

function kindSentences({ kinds = [], fields = {} }: DocumentedRoute): readonly Text[] {
  const [only] = kinds;
  const alone: readonly Text[] =
    kinds.length === 1 && only !== undefined
      ? [
          {
            en: `Only for numbers of kind \`${only}\`; others return 501.`,
            pt: `Só em números do tipo \`${only}\`; os outros devolvem 501.`,
          },
        ]
      : [];
  return [...alone, ...kinds.flatMap((kind) => fieldSentences(fields, kind))];
}

function fieldSentences(fields: FieldRules, kind: ConnectionKind): readonly Text[] {
  const named = (partly: boolean) =>
    Object.entries(fields)
      .filter(([, rule]) => !rule.kinds.includes(kind) && (rule.partly === true) === partly)
      .map(([field]) => `\`${field}\``)
      .join(", ");
  const [never, partly] = [named(false), named(true)];
  const NEVER: Text = {
    en: `Numbers of kind \`${kind}\` do not accept: ${never}.`,
    pt: `Números do tipo \`${kind}\` não aceitam: ${never}.`,
  };
  const PARTLY: Text = {
    en: `Numbers of kind \`${kind}\` accept only some values of: ${partly}.`,
    pt: `Números do tipo \`${kind}\` só aceitam alguns valores de: ${partly}.`,
  };
  return [...(never === "" ? [] : [NEVER]), ...(partly === "" ? [] : [PARTLY])];
}

function descriptionOf(route: DocumentedRoute, language: Language): string {
  const spoken = (sentences: readonly Text[]): string => sentences.map((sentence) => sentence[language]).join(" ");
  const kinds = spoken(kindSentences(route));
  return [route.description?.[language] ?? spoken(sentencesOf(route)), ...(kinds === "" ? [] : [kinds])].join("\n\n");
}

const BEFORE_ROUTES: readonly FailureCode[] = ["https_required", "route_not_found", "method_not_allowed"];

const COLUMNS = {
  en: { events: ["Event", "When"], errors: ["Status", "Code", "When"] },
  pt: { events: ["Evento", "Quando"], errors: ["Status", "Código", "Quando"] },
} as const;

function guideOf(surface: DocumentedSurface, language: Language): string {
  return guide(surface.guides, language, {
    url: surface.server,
    events: eventTable(surface, language),
    errors: errorTable(surface, language),
  });
}

function eventTable({ webhooks }: DocumentedSurface, language: Language): GuideTable {
  const rows = webhooks.events.map(({ type, summary }) => [`\`${type}\``, summary[language]]);
  return { columns: COLUMNS[language].events, rows };
}

/** One row per public code, described by the first failure with that code. */
function errorTable(surface: DocumentedSurface, language: Language): GuideTable {
  const documented = new Set([...BEFORE_ROUTES, ...surface.routes.flatMap((route) => failuresOf(surface, route))]);
  const rows = new Map<string, readonly string[]>();
  for (const [code, { status }] of Object.entries(FAILURE_RESPONSES) as [FailureCode, { status: number }][]) {
    const name = surface.failure.name(code);
    if (!documented.has(code) || rows.has(name)) continue;
    rows.set(name, [String(status), `\`${name}\``, FAILURE_TEXTS[code][language]]);
  }
  return { columns: COLUMNS[language].errors, rows: [...rows.values()] };
}

const JSON_TYPE = "application/json";
const STREAM_TYPE = "text/event-stream";
const BINARY_CONTENT = { "*/*": { schema: { type: "string" as const, format: "binary" } } };

/** Takes several milliseconds, so callers cache the result. */
export function openApiDocument(surface: DocumentedSurface, language: Language): OpenApiDocument {
  const { openAPIRegistry: registry, getOpenAPI31Document: generate } = new OpenAPIHono();
  const { title, version, server, tags, credentials } = surface;
  for (const [name, { description, ...scheme }] of Object.entries(credentials)) {
    registry.registerComponent("securitySchemes", name, { ...scheme, description: description[language] });
  }
  for (const [name, schema] of Object.entries({ Error: surface.failure.schema, ...surface.schemas })) registry.register(name, schema);
  for (const [name, response] of sharedResponses(surface, language)) registry.registerComponent("responses", name, response);
  for (const [name, header] of Object.entries(headersOf(surface, language))) registry.registerComponent("headers", name, header);
  for (const route of surface.routes) registry.registerPath(operationOf(surface, route, language));
  registerWebhooks(registry, surface, language);
  const document = generate({
    openapi: "3.1.0",
    info: { title: title[language], version, description: guideOf(surface, language), "x-language": LANGUAGE_TAGS[language] },
    servers: [{ url: server }],
    tags: tags.map(({ name, title, description }) => ({ name, description: description[language], "x-displayName": title[language] })),
    security: Object.keys(credentials).map((name) => ({ [name]: [] })),
  });
  // shape.ts declares the parts of the document that our code reads.
  return completed(inLanguage(document as unknown as OpenApiDocument, language), surface, language);
}

function operationOf(surface: DocumentedSurface, route: DocumentedRoute, language: Language) {
  const { texts, prefix } = surface;
  const { accepted, example = {}, failures = [], otherStatus } = route;
  const headers = route.mutating && route.isPublic !== true ? [idempotencyKey(texts.idempotencyKey[language])] : [];
  const success = {
    description: texts.success[language],
    headers: successHeaders(route),
    ...(route.response === null
      ? {}
      : {
          content: {
            [route.streams === true ? STREAM_TYPE : (route.textType ?? JSON_TYPE)]: { schema: route.response },
            ...(route.binary === true ? BINARY_CONTENT : {}),
          },
        }),
  };
  const codes = [...surface.commonFailures(route), ...failures];
  return {
    method: route.method,
    path: prefix + route.path,
    operationId: route.name,
    tags: [route.tag],
    summary: route.summary[language],
    description: descriptionOf(route, language),
    "x-effect": route.effect,
    ...(route.kinds === undefined ? {} : { "x-kinds": route.kinds }),
    ...(route.isPublic === true ? { security: [] } : route.bearerOnly === true ? { security: [{ bearer: [] }] } : {}),
    ...(example.failure === undefined ? {} : { "x-example-answers": surface.failure.name(example.failure) }),
    ...(example.response === undefined ? {} : { "x-example-answer": example.response }),
    parameters: headers,
    request: {
      ...(route.params === null ? {} : { params: withExamples(route.params, example.params) }),
      ...(route.query === null ? {} : { query: withExamples(route.query, example.query) }),
      ...(route.body === null ? {} : { body: bodyOf(route.body, example) }),
    },
    responses: {
      [route.status ?? 200]: success,
      ...(otherStatus === undefined ? {} : { [otherStatus]: success }),
      ...(accepted === undefined ? {} : { 202: { ...success, content: { [JSON_TYPE]: { schema: accepted.response } } } }),
      ...failureResponses(surface, codes, language),
    },
  };
}

function idempotencyKey(description: string) {
  const schema = { type: "string" as const, minLength: 1, maxLength: 255, pattern: "^[\\x21-\\x7E]{1,255}$" };
  return { name: "Idempotency-Key", in: "header" as const, required: false, description, schema };
}

function bodyOf(schema: z.ZodType, { body }: RequestExample) {
  const isNeeded = !schema.safeParse({}).success;
  return { required: isNeeded, content: { [JSON_TYPE]: { schema, ...(body === undefined ? {} : { example: body }) } } };
}

/** The route's example takes precedence over the field's. */
function withExamples(schema: z.ZodType, values: Readonly<Record<string, unknown>> = {}): z.ZodObject {
  // Routes always declare parameters and query as objects.
  const object = schema as z.ZodObject;
  const fields = Object.entries(object.shape).map(([name, field]) => {
    const value = values[name];
    return [name, value === undefined ? field : (field as z.ZodType).openapi({ param: { example: value } })] as const;
  });
  return object.extend(Object.fromEntries(fields));
}
