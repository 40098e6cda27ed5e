// The parts of an OpenAPI document that are read again: by the page, by llms.txt and by the tests.

export type Schema = {
  $ref?: string;
  type?: string | readonly string[];
  format?: string;
  description?: string;
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  example?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  allOf?: readonly Schema[];
};

export type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema?: Schema;
  example?: unknown;
};

export type Content = { schema?: Schema; example?: unknown };

export type Operation = {
  operationId: string;
  tags: readonly string[];
  summary: string;
  description?: string;
  security?: readonly unknown[];
  parameters?: readonly Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Content> };
  responses: Record<string, { $ref?: string; description?: string; content?: Record<string, Content> }>;
  /** The example request is answered by this failure. */
  "x-example-answers"?: string;
  "x-effect"?: "read" | "change" | "destructive";
};

export type OpenApiDocument = {
  openapi: string;
  /** `x-language` (BCP 47): what the texts are written in. */
  info: { title: string; version: string; description: string; "x-language": string };
  servers: readonly { url: string }[];
  tags: readonly { name: string; description: string; "x-displayName": string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Readonly<Record<string, Schema>>; responses: Readonly<Record<string, { description: string }>> };
};

/** A schema with its reference followed. */
export function resolved(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  if (schema.$ref === undefined) return schema;
  const target = schemas[schema.$ref.replace("#/components/schemas/", "")];
  return target === undefined ? {} : resolved(target, schemas);
}
