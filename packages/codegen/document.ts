export type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  default?: string;
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  description?: string;
};

type Content = Record<string, { schema?: Schema }>;
type Response = { $ref?: string; content?: Content };

export type Parameter = { name: string; in: string; required?: boolean; description?: string; schema: Schema };

export type DocumentedOperation = {
  operationId: string;
  tags: string[];
  summary: string;
  "x-effect": "read" | "change" | "destructive";
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, Response>;
};

export type OpenApi = {
  components: { schemas: Record<string, Schema>; responses: Record<string, Response> };
  paths: Record<string, Record<string, DocumentedOperation>>;
  webhooks: Record<string, { post: { requestBody: { content: Content } } }>;
};

export function refName(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}
