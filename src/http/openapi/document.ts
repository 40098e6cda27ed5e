import { OpenAPIHono, type z } from "@hono/zod-openapi";
import { completed } from "./complete.ts";
import { failureResponses, sharedResponses } from "./failure-responses.ts";
import { guideOf } from "./guide.ts";
import { headersOf, successHeaders } from "./response-headers.ts";
import { descriptionOf } from "./route-traits.ts";
import type { OpenApiDocument } from "./shape.ts";
import type { DocumentedRoute, DocumentedSurface, RequestExample } from "./surface.ts";
import { registerWebhooks } from "./webhooks.ts";
import { inLanguage, type Language, LANGUAGE_TAGS } from "./text.ts";

const JSON_TYPE = "application/json";
const STREAM_TYPE = "text/event-stream";
const BINARY_CONTENT = { "*/*": { schema: { type: "string" as const, format: "binary" } } };

/** Takes some milliseconds: callers cache it. */
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
  // shape.ts declares the parts that are read again.
  return completed(inLanguage(document as unknown as OpenApiDocument, language), surface, language);
}

function operationOf(surface: DocumentedSurface, route: DocumentedRoute, language: Language) {
  const { texts, prefix } = surface;
  const { accepted, example = {}, failures = [], otherStatus } = route;
  const headers = route.mutating && route.isPublic !== true ? [idempotencyKey(texts.idempotencyKey[language])] : [];
  const answered = {
    description: texts.success[language],
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
    summary: route.summary[language],
    description: descriptionOf(route, language),
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

/** The route's example beats that of the field. */
function withExamples(schema: z.ZodType, values: Readonly<Record<string, unknown>> = {}): z.ZodObject {
  // Rows always declare parameters and query as objects.
  const object = schema as z.ZodObject;
  const fields = Object.entries(object.shape).map(([name, field]) => {
    const value = values[name];
    return [name, value === undefined ? field : (field as z.ZodType).openapi({ param: { example: value } })] as const;
  });
  return object.extend(Object.fromEntries(fields));
}
