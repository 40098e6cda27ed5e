// The parts of an OpenAPI document that our own code reads: llms.txt, the translation and the tests.

export type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  example?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
};

export type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema?: Schema;
  example?: unknown;
};

export type Content = { schema?: Schema; example?: unknown; examples?: Readonly<Record<string, { value: unknown }>> };

export type Header = { $ref?: string; description?: string };

export type ResponseShape = {
  $ref?: string;
  description?: string;
  headers?: Record<string, Header>;
  content?: Record<string, Content>;
};

export type Operation = {
  operationId: string;
  tags: readonly string[];
  summary: string;
  description?: string;
  security?: readonly unknown[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Content> };
  responses: Record<string, ResponseShape>;
  /** The example request is answered by this failure. */
  "x-example-answers"?: string;
  /** Of the generator, while it works. */
  "x-example-answer"?: unknown;
  "x-effect"?: "read" | "change" | "destructive";
};

export type OpenApiDocument = {
  openapi: string;
  /** `x-language` (BCP 47): what the texts are written in. */
  info: { title: string; version: string; description: string; "x-language": string };
  servers: readonly { url: string }[];
  tags: readonly { name: string; description: string; "x-displayName": string }[];
  paths: Record<string, Record<string, Operation>>;
  /** By the type of the event. */
  webhooks: Record<string, { post: Operation }>;
  components: {
    schemas: Record<string, Schema>;
    responses: Readonly<Record<string, ResponseShape>>;
    headers: Readonly<Record<string, Header>>;
  };
};

/** A schema with its reference followed. */
export function resolved(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  if (schema.$ref === undefined) return schema;
  const target = schemas[schema.$ref.replace("#/components/schemas/", "")];
  return target === undefined ? {} : resolved(target, schemas);
}
