import type { z } from "zod";
import type { Api } from "../../guides/guides.ts";
import type { FailureCode } from "@gateway/protocol/failures.ts";
import type { FieldRules, ConnectionKind } from "@gateway/protocol/operations.ts";
import type { Text } from "./text.ts";

type Shape = z.ZodType | null;

/** `read` changes nothing. `destructive` removes something that no other call can restore. */
export type Effect = "read" | "change" | "destructive";

export type RouteNotes = {
  description?: Text;
  example?: RequestExample;
  failures?: readonly FailureCode[];
  otherStatus?: number;
  /** If `of` returns an object, the network does the work later, and the object becomes the body of the 202 response. */
  accepted?: { response: z.ZodType; of(output: unknown): object | null };
  binary?: true;
  textType?: string;
};

export type DocumentedRoute = RouteNotes & {
  name: string;
  effect: Effect;
  method: "get" | "post" | "put" | "patch" | "delete";
  path: string;
  tag: string;
  summary: Text;
  params: Shape;
  query: Shape;
  body: Shape;
  response: Shape;
  status?: number;
  streams?: boolean;
  mutating: boolean;
  cached?: boolean;
  isPublic?: boolean;
  kinds?: readonly ConnectionKind[];
  fields?: FieldRules;
  bearerOnly?: boolean;
};

export type RequestExample = {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string | number | boolean>>;
  body?: unknown;
  /** Overrides parts of the generated example response. */
  response?: Readonly<Record<string, unknown>>;
  /** Set if the example shows a failure, because this kind of connection always fails here. */
  failure?: FailureCode;
};

export type SecurityScheme =
  | { type: "apiKey"; in: "header"; name: string; description: Text }
  | { type: "http"; scheme: "bearer"; bearerFormat?: string; description: Text };

export type DocumentedEvent = { type: string; summary: Text; schema: z.ZodType; example: unknown };

export type DocumentedWebhooks = {
  events: readonly DocumentedEvent[];
  headers: readonly { name: string; required: boolean; description: Text; example: string }[];
  accepted: Text;
  failed: Text;
};

export type DocumentedSurface = {
  title: Text;
  version: string;
  guides: Api;
  server: string;
  prefix: string;
  tags: readonly { name: string; title: Text; description: Text }[];
  routes: readonly DocumentedRoute[];
  webhooks: DocumentedWebhooks;
  credentials: Readonly<Record<string, SecurityScheme>>;
  commonFailures: (route: DocumentedRoute) => readonly FailureCode[];
  failure: {
    schema: z.ZodType;
    codeField: "code" | "codigo";
    name: (code: FailureCode) => string;
    body: (code: FailureCode) => unknown;
  };
  texts: SurfaceTexts;
  /** Prefix of schema names, so that they are unique across documents. */
  schemaPrefix?: string;
  /** Schemas registered in advance, because a schema that is nullable where it is first used would become a nullable component. */
  schemas?: Readonly<Record<string, z.ZodType>>;
  /** Texts by field or parameter name, for schemas without a description. `Chat.name` takes precedence over `name`. */
  fieldDescriptions?: Readonly<Record<string, Text>>;
  samples?: Readonly<Record<string, unknown>>;
};

export type SurfaceTexts = {
  success: Text;
  idempotencyKey: Text;
  example: string;
};
