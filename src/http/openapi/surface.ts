// What the OpenAPI document of an API is generated from: its route table and texts.
import type { z } from "zod";
import type { Api } from "../../guides/guides.ts";
import type { FailureCode } from "@gateway/protocol/failures.ts";
import type { FieldRules, Kind } from "@gateway/protocol/operations.ts";
import type { Text } from "./text.ts";

type Shape = z.ZodType | null;

/** `read` changes nothing; `destructive` removes what no other call restores. */
export type Effect = "read" | "change" | "destructive";

/** What only the documentation says of a route. */
export type RouteNotes = {
  /** Markdown. */
  description?: Text;
  /** A request that works on a sandbox when its ids are replaced by real ones; a test executes every one of them. */
  example?: RequestExample;
  /** Failures besides those that every such route shares. */
  failures?: readonly FailureCode[];
  /** A status besides the one of success that comes with the same body. */
  otherStatus?: number;
  /** Where `of` is not null, what was asked for is done later: that is answered, with 202. */
  accepted?: { response: z.ZodType; of(output: unknown): object | null };
  /** May answer the bytes of a file instead of JSON. */
  binary?: true;
};

/** A row of a route table, as far as documentation needs it; fits the rows of both APIs. */
export type DocumentedRoute = RouteNotes & {
  /** The operation's public name, as people say it: `sendText`. Unique in its document; generated clients are named by it. */
  name: string;
  effect: Effect;
  method: "get" | "post" | "put" | "patch" | "delete";
  /** After the surface's prefix, parameters as `{chatId}`. */
  path: string;
  tag: string;
  summary: Text;
  params: Shape;
  query: Shape;
  body: Shape;
  response: Shape;
  /** 200 unless said. */
  status?: number;
  /** Answers server-sent events instead of JSON. */
  streams?: boolean;
  /** Takes an `Idempotency-Key`. */
  mutating: boolean;
  /** Its answer may come from a cache, and then has an `Age`. */
  cached?: boolean;
  /** Answers without credentials. */
  isPublic?: boolean;
  /** The kinds of numbers that it works on; absent: it acts on no number. */
  kinds?: readonly Kind[];
  /** Of its body, what is not for every kind. */
  fields?: FieldRules;
  /** Only for people: the credential `bearer`, not the others. */
  bearerOnly?: boolean;
};

export type RequestExample = {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string | number | boolean>>;
  body?: unknown;
  /** What the example's answer has other than the samples of its fields. */
  answer?: Readonly<Record<string, unknown>>;
  /** The example shows a failure, because nothing else can be shown: what this kind of connection does not offer. */
  answers?: FailureCode;
};

export type SecurityScheme =
  | { type: "apiKey"; in: "header"; name: string; description: Text }
  | { type: "http"; scheme: "bearer"; bearerFormat?: string; description: Text };

/** An event as its webhook delivers it: the schema and an example of the whole body. */
export type DocumentedEvent = { type: string; summary: Text; schema: z.ZodType; example: unknown };

/** What a webhook's receiver is sent. */
export type DocumentedWebhooks = {
  events: readonly DocumentedEvent[];
  /** Headers of every delivery. */
  headers: readonly { name: string; required: boolean; description: Text; example: string }[];
  /** Which answer accepts a delivery, and how soon it has to come. */
  accepted: Text;
  /** What happens after every other answer. */
  failed: Text;
};

export type DocumentedSurface = {
  title: Text;
  version: string;
  /** Whose guides stand before the reference (`src/guides`). */
  guides: Api;
  /** Where the surface is reached, without the prefix. */
  server: string;
  /** `/api/v1`. */
  prefix: string;
  /** Families in the order of the reference; `title` is what people read. */
  tags: readonly { name: string; title: Text; description: Text }[];
  routes: readonly DocumentedRoute[];
  webhooks: DocumentedWebhooks;
  /** Any one of them is enough. */
  credentials: Readonly<Record<string, SecurityScheme>>;
  /** The failures of every route like this one. */
  commonFailures: (route: DocumentedRoute) => readonly FailureCode[];
  failure: {
    schema: z.ZodType;
    /** Where in `error` the code stands. */
    codeField: "code" | "codigo";
    /** The code as this surface writes it. */
    name: (code: FailureCode) => string;
    body: (code: FailureCode) => unknown;
  };
  texts: SurfaceTexts;
  /** Put before the name of every schema, so that no other document has the same name for something else. */
  schemaPrefix?: string;
  /** Named schemas that are nullable where they are first used: the generator would make the component itself nullable. */
  schemas?: Readonly<Record<string, z.ZodType>>;
  /** What a field or parameter of that name means where its schema does not say; `Chat.name` beats `name`. */
  fieldDescriptions?: Readonly<Record<string, Text>>;
  /** By the name of a field: what its examples show, where the surfaces differ. */
  samples?: Readonly<Record<string, unknown>>;
};

/** The few sentences that the generator itself adds. */
export type SurfaceTexts = {
  success: Text;
  idempotencyKey: Text;
  /** Written where a text has no better example. */
  example: string;
};
