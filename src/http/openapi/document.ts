// OpenAPI 3.1 from a surface's route table.
import { OpenAPIHono, type z } from "@hono/zod-openapi";
import { completed } from "./complete.ts";
import { failureCatalogue, failureResponses, sharedResponses } from "./failure-responses.ts";
import { guideOf } from "./guide.ts";
import { GENERATOR_PORTUGUESE, headersOf, successHeaders } from "./response-headers.ts";
import { descriptionOf, traitCatalogue } from "./route-traits.ts";
import type { OpenApiDocument } from "./shape.ts";
import type { DocumentedRoute, DocumentedSurface, RequestExample } from "./surface.ts";
import { registerWebhooks } from "./webhooks.ts";
import { type Catalogue, type Language, LANGUAGE_TAGS, translated } from "./translate.ts";

const JSON_TYPE = "application/json";
const STREAM_TYPE = "text/event-stream";
/** A file of any type. */
const BINARY_CONTENT = { "*/*": { schema: { type: "string" as const, format: "binary" } } };

/** The surface's description as data. Takes some milliseconds: callers cache it. */
export function openApiDocument(surface: DocumentedSurface, language: Language): OpenApiDocument {
  const document = englishDocument(surface);
  if (language === "en") return document;
  const { info, ...rest } = translated(document, portugueseOf(surface));
  return { info: { ...info, description: guideOf(surface, language), "x-language": LANGUAGE_TAGS[language] }, ...rest };
}

/** What the surface's own catalogue has, and the failures of its routes. */
export function portugueseOf(surface: DocumentedSurface): Catalogue {
  return { ...GENERATOR_PORTUGUESE, ...surface.portuguese, ...failureCatalogue(surface), ...traitCatalogue(surface) };
}

function englishDocument(surface: DocumentedSurface): OpenApiDocument {
  const { openAPIRegistry: registry, getOpenAPI31Document: generate } = new OpenAPIHono();
  for (const [name, scheme] of Object.entries(surface.credentials)) registry.registerComponent("securitySchemes", name, { ...scheme });
  for (const [name, schema] of Object.entries({ Error: surface.failure.schema, ...surface.schemas })) registry.register(name, schema);
  for (const [name, response] of sharedResponses(surface)) registry.registerComponent("responses", name, response);
  for (const [name, header] of Object.entries(headersOf(surface))) registry.registerComponent("headers", name, header);
  for (const route of surface.routes) registry.registerPath(operationOf(surface, route));
  registerWebhooks(registry, surface);
  const { title, version, server, tags, credentials } = surface;
  const document = generate({
    openapi: "3.1.0",
    info: { title, version, description: guideOf(surface, "en"), "x-language": LANGUAGE_TAGS.en },
    servers: [{ url: server }],
    tags: tags.map(({ name, title, description }) => ({ name, description, "x-displayName": title })),
    security: Object.keys(credentials).map((name) => ({ [name]: [] })),
  });
  // Written by this very generator; shape.ts names the parts that are read again.
  return completed(document as unknown as OpenApiDocument, surface);
}

function operationOf(surface: DocumentedSurface, route: DocumentedRoute) {
  const { texts, prefix } = surface;
  const { accepted, example = {}, failures = [], otherStatus } = route;
  const headers = route.mutating && route.isPublic !== true ? [idempotencyKey(texts.idempotencyKey)] : [];
  const answered = {
    description: texts.success,
    headers: successHeaders(route),
    ...(route.response === null
      ? {}
      : {
          content: {
            [route.streams === true ? STREAM_TYPE : JSON_TYPE]: { schema: route.response },
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
    summary: route.summary,
    description: descriptionOf(route),
    "x-effect": route.effect,
    ...(route.kinds === undefined ? {} : { "x-kinds": route.kinds }),
    ...(route.isPublic === true ? { security: [] } : route.bearerOnly === true ? { security: [{ bearer: [] }] } : {}),
    ...(example.answers === undefined ? {} : { "x-example-answers": surface.failure.name(example.answers) }),
    ...(example.answer === undefined ? {} : { "x-example-answer": example.answer }),
    parameters: headers,
    request: {
      ...(route.params === null ? {} : { params: withExamples(route.params, example.params) }),
      ...(route.query === null ? {} : { query: withExamples(route.query, example.query) }),
      ...(route.body === null ? {} : { body: bodyOf(route.body, example) }),
    },
    responses: {
      [route.status ?? 200]: answered,
      ...(otherStatus === undefined ? {} : { [otherStatus]: answered }),
      ...(accepted === undefined ? {} : { 202: { ...answered, content: { [JSON_TYPE]: { schema: accepted.response } } } }),
      ...failureResponses(surface, codes),
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

/** The route's own example beats the one of the field's schema. */
function withExamples(schema: z.ZodType, values: Readonly<Record<string, unknown>> = {}): z.ZodObject {
  // Parameters and queries are objects by the route table's own habit.
  const object = schema as z.ZodObject;
  const fields = Object.entries(object.shape).map(([name, field]) => {
    const value = values[name];
    return [name, value === undefined ? field : (field as z.ZodType).openapi({ param: { example: value } })] as const;
  });
  return object.extend(Object.fromEntries(fields));
}
