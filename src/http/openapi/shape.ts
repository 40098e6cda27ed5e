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
  "x-example-answers"?: string;
  "x-example-answer"?: unknown;
  "x-effect"?: "read" | "change" | "destructive";
};

export type OpenApiDocument = {
  openapi: string;
  info: { title: string; version: string; description: string; "x-language": string };
  servers: readonly { url: string }[];
  tags: readonly { name: string; description: string; "x-displayName": string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: {
    schemas: Record<string, Schema>;
    responses: Readonly<Record<string, ResponseShape>>;
    headers: Readonly<Record<string, Header>>;
  };
};

export function resolved(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  if (schema.$ref === undefined) return schema;
  const target = schemas[schema.$ref.replace("#/components/schemas/", "")];
  return target === undefined ? {} : resolved(target, schemas);
}

export type DocumentedError = { status: string; code: string; text: string };

/** The operation's errors. The description of a response has one paragraph for each code (failure-responses.ts). */
export function errorsOf({ components }: OpenApiDocument, operation: Operation): DocumentedError[] {
  return Object.entries(operation.responses).flatMap(([status, { $ref = "", description }]) => {
    const shown = description ?? components.responses[$ref.replace("#/components/responses/", "")]?.description ?? "";
    return Number(status) < 400 ? [] : [...shown.matchAll(/^`(\w+)`: (.+)$/gm)].map(([, code = "", text = ""]) => ({ status, code, text }));
  });
}
