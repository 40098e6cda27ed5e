// Completes the generated document with names of request bodies, nullable references, descriptions by field name, and examples.
import { type OpenApiDocument, type Operation, resolved, type Schema } from "./shape.ts";
import type { DocumentedSurface } from "./surface.ts";
import type { Language, Text } from "./text.ts";
import { sampleOf } from "./example-value.ts";

const JSON_TYPE = "application/json";

export function completed(document: OpenApiDocument, surface: DocumentedSurface, language: Language): OpenApiDocument {
  for (const operation of operationsOf(document)) nameRequestBody(document, operation);
  eachSchema(document, mendNullableReference);
  describeFields(document, surface.fieldDescriptions ?? {}, language);
  addExamples(document, surface);
  describeDefaults(document, language);
  return surface.schemaPrefix === undefined ? document : withPrefix(document, surface.schemaPrefix);
}

const REFERENCE = "#/components/schemas/";

/** Prefixes schema names everywhere, for example `Message` becomes `AccountMessage`. */
function withPrefix(document: OpenApiDocument, prefix: string): OpenApiDocument {
  const renamed = (name: string) => (name.startsWith(prefix) ? name : prefix + name);
  const rewritten = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(rewritten);
    if (!isObject(value)) return value;
    const { $ref } = value;
    const own = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, rewritten(inner)]));
    return typeof $ref === "string" && $ref.startsWith(REFERENCE)
      ? { ...own, $ref: REFERENCE + renamed($ref.slice(REFERENCE.length)) }
      : own;
  };
  const { components, ...rest } = rewritten(document) as OpenApiDocument;
  const schemas = Object.fromEntries(Object.entries(components.schemas).map(([name, schema]) => [renamed(name), schema]));
  return { ...rest, components: { ...components, schemas } };
}

function operationsOf(document: OpenApiDocument): Operation[] {
  return Object.values(document.paths).flatMap((item) => Object.values(item));
}

function nameRequestBody({ components }: OpenApiDocument, { operationId, requestBody }: Operation): void {
  const content = requestBody?.content[JSON_TYPE];
  if (content?.schema === undefined || content.schema.$ref !== undefined) return;
  const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Request`;
  components.schemas[name] = content.schema;
  content.schema = { $ref: `#/components/schemas/${name}` };
}

/** The generator writes a nullable reference as `allOf`, which null never satisfies. */
function mendNullableReference(schema: Schema): void {
  const [reference, own, ...rest] = schema.allOf ?? [];
  if (reference?.$ref === undefined || own === undefined || own.properties !== undefined || rest.length > 0) return;
  const { type = [], ...notes } = own;
  if (!type.includes("null")) return;
  delete schema.allOf;
  Object.assign(schema, notes, { anyOf: [reference, { type: "null" }] });
}

function describeFields(document: OpenApiDocument, descriptions: Readonly<Record<string, Text>>, language: Language): void {
  const described = (owner: string, name: string) => (descriptions[`${owner}.${name}`] ?? descriptions[name])?.[language];
  const describe = (owner: string, schema: Schema): void => {
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      const text = described(owner, name);
      if (field.$ref === undefined && field.description === undefined && text !== undefined) field.description = text;
    }
    for (const inner of innerSchemas(schema)) describe(owner, inner);
  };
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const text = descriptions[name]?.[language];
    if (schema.description === undefined && text !== undefined) schema.description = text;
    describe(name, schema);
  }
  for (const { operationId, parameters = [], responses } of operationsOf(document)) {
    for (const parameter of parameters) {
      // The parameter has only the English description, which the generator copied from the schema.
      const text = parameter.schema?.description ?? parameter.description ?? described(operationId, parameter.name);
      if (text !== undefined) parameter.description = text;
    }
    for (const { content } of Object.values(responses)) {
      const schema = content?.[JSON_TYPE]?.schema;
      if (schema !== undefined) describe(operationId, schema);
    }
  }
}

const DEFAULT = {
  en: { value: (value: string) => `Default: ${value}.`, none: "none", empty: "empty" },
  pt: { value: (value: string) => `Padrão: ${value}.`, none: "nenhum", empty: "vazio" },
} as const;

/** Moves defaults into descriptions, because client generators make fields with defaults required, although callers may omit them. */
function describeDefaults(document: OpenApiDocument, language: Language): void {
  const { schemas } = document.components;
  const walked = new Set<Schema>();
  const walk = (schema: Schema): void => {
    if (walked.has(schema)) return;
    walked.add(schema);
    if (schema.$ref !== undefined) walk(resolved(schema, schemas));
    for (const inner of innerSchemas(schema)) walk(inner);
    if (schema.default === undefined) return;
    schema.description = withDefault(schema.description, schema.default, language);
    delete schema.default;
  };
  for (const { parameters = [], requestBody } of operationsOf(document)) {
    for (const parameter of parameters) {
      const { schema } = parameter;
      if (schema === undefined) continue;
      if (schema.default !== undefined) parameter.description = withDefault(parameter.description, schema.default, language);
      walk(schema);
    }
    for (const { schema } of Object.values(requestBody?.content ?? {})) if (schema !== undefined) walk(schema);
  }
}

function withDefault(description: string | undefined, value: unknown, language: Language): string {
  const { value: sentence, none, empty } = DEFAULT[language];
  const isEmpty = Array.isArray(value) && value.length === 0;
  const added = sentence(value === null ? none : isEmpty ? empty : `\`${typeof value === "string" ? value : JSON.stringify(value)}\``);
  if (description === undefined || description === "") return added;
  return `${description.replace(/\.$/, "")}. ${added}`;
}

/** Response examples come from the schema, and examples of path parameters from their field. */
function addExamples(document: OpenApiDocument, { samples, texts }: DocumentedSurface): void {
  const sources = { schemas: document.components.schemas, own: samples ?? {}, text: texts.example };
  for (const operation of operationsOf(document)) {
    const { parameters = [], responses } = operation;
    for (const parameter of parameters) if (parameter.in === "path") parameter.example ??= parameter.schema?.example;
    for (const [status, response] of Object.entries(responses)) {
      const content = status.startsWith("2") ? response.content?.[JSON_TYPE] : undefined;
      if (content?.schema !== undefined) content.example = merged(sampleOf(content.schema, sources), operation["x-example-answer"]);
    }
    delete operation["x-example-answer"];
  }
}

/** Overrides parts of the sample with the route's own example. */
function merged(sample: unknown, own: unknown): unknown {
  if (own === undefined) return sample;
  if (!isObject(sample) || !isObject(own)) return own;
  const parts = Object.entries(own).map(([name, value]) => [name, merged(sample[name], value)] as const);
  return { ...sample, ...Object.fromEntries(parts) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function eachSchema(document: OpenApiDocument, act: (schema: Schema) => void): void {
  const walk = (schema: Schema): void => {
    for (const inner of innerSchemas(schema)) walk(inner);
    act(schema);
  };
  for (const schema of Object.values(document.components.schemas)) walk(schema);
  for (const { responses } of operationsOf(document))
    for (const { content } of Object.values(responses)) {
      const schema = content?.[JSON_TYPE]?.schema;
      if (schema !== undefined) walk(schema);
    }
}

function innerSchemas({ properties, items, additionalProperties, anyOf, oneOf, allOf }: Schema): Schema[] {
  return [
    ...Object.values(properties ?? {}),
    ...(items === undefined ? [] : [items]),
    ...(typeof additionalProperties === "object" ? [additionalProperties] : []),
    ...[anyOf, oneOf, allOf].flatMap((parts) => parts ?? []),
  ];
}
