// A client has one method for each operation of a document. One rule derives their names, because published names cannot change.
import type { DocumentedOperation, OpenApi, Parameter, Schema } from "./document.ts";

export type Method = {
  resource: string;
  name: string;
  operationId: string;
  summary: string;
  verb: string;
  /** The path without the client's prefix and leading slash, such as `chats/{chatId}/messages`. */
  path: string;
  pathParameters: Parameter[];
  query: Parameter[];
  body: { schema: Schema; required: boolean } | null;
  /** `data` resolves to the response's `data`, `page` to pages of `data`, `events` to a stream, and `whole` to the whole response. */
  answer: { kind: "data" | "page" | "events" | "whole"; schema: Schema };
  isSend: boolean;
  /** A `POST` that only reads has no Idempotency-Key. */
  isKeyed: boolean;
};

export type Client = { prefix: string; methods: Method[] };

/** `prefix` is the path prefix that the methods omit. `exclude` names operations that belong to another client. */
export function clientOf(
  document: OpenApi,
  prefix: string,
  exclude: (path: string, operation: DocumentedOperation) => boolean = () => false,
): Client {
  const methods = Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs)
      .filter(([, operation]) => path.startsWith(prefix) && !exclude(path, operation))
      .map(([verb, operation]) => method(verb, path.slice(prefix.length), operation, prefix)),
  );
  const seen = new Map<string, string>();
  for (const { resource, name, operationId } of methods) {
    const before = seen.get(`${resource}.${name}`);
    if (before !== undefined) throw new Error(`${before} and ${operationId} would both be ${resource}.${name}`);
    seen.set(`${resource}.${name}`, operationId);
  }
  return { prefix, methods };
}

function method(verb: string, path: string, documented: DocumentedOperation, prefix: string): Method {
  const operation = withoutBytes(documented);
  const parameters = operation.parameters ?? [];
  const resource = operation.tags[0] ?? "service";
  const body = operation.requestBody?.content["application/json"]?.schema;
  return {
    resource,
    name: methodName(operation.operationId, resource),
    operationId: operation.operationId,
    summary: operation.summary,
    verb: verb.toUpperCase(),
    path,
    pathParameters: parameters.filter((parameter) => parameter.in === "path" && !prefix.includes(`{${parameter.name}}`)),
    query: parameters.filter((parameter) => parameter.in === "query"),
    body: body === undefined ? null : { schema: body, required: operation.requestBody?.required === true },
    answer: answerOf(operation),
    isSend: verb === "post" && /^(messages|status)\/|\/messages\/(text|image|video)$/.test(path),
    isKeyed: operation["x-effect"] !== "read",
  };
}

/** Clients read JSON. If a route returns bytes by default, its method asks for a link by default, and offers no bytes. */
function withoutBytes(operation: DocumentedOperation): DocumentedOperation {
  if (operation.responses["200"]?.content?.["*/*"] === undefined) return operation;
  if (operation.operationId !== "getMessageMedia") throw new Error(`${operation.operationId} answers bytes`);
  const format: Parameter = {
    name: "format",
    in: "query",
    description: "A link, or the content itself. Default: `url`.",
    schema: { type: "string", enum: ["url", "base64"], default: "url" },
  };
  const others = (operation.parameters ?? []).filter(({ name }) => name !== format.name);
  return { ...operation, summary: "The file of a message, as a link or in Base64", parameters: [...others, format] };
}

/** Shortens names. In `chats`, `listChats` becomes `list`, `getChatPicture` becomes `getPicture`, and `markChatRead` becomes `markRead`. */
export function methodName(operationId: string, resource: string): string {
  const [, verb = "", rest = ""] = /^([a-z]+)(.*)$/.exec(operationId) ?? [];
  const singular = resource.replace(/(ses|s)$/, (ending) => (ending === "ses" && resource !== "statuses" ? "se" : ""));
  for (const noun of [resource, singular]) {
    const capital = noun.charAt(0).toUpperCase() + noun.slice(1);
    const after = rest.slice(capital.length);
    if (rest.startsWith(capital) && (after === "" || /^[A-Z]/.test(after))) return verb + after;
  }
  return operationId;
}

/** A send returns 200 or 201 once WhatsApp has accepted it, and 202 while it waits, so a method may have several response types. */
function answerOf(operation: DocumentedOperation): Method["answer"] {
  const responses = Object.entries(operation.responses).flatMap(([status, response]) => (status.startsWith("2") ? [response] : []));
  if (responses.some(({ content }) => content?.["text/event-stream"] !== undefined)) return { kind: "events", schema: {} };
  const answers = responses.map(({ content }) => answerIn((content?.["application/json"] ?? content?.["text/plain"])?.schema ?? {}));
  const [first = answerIn({})] = answers;
  if (answers.length <= 1) return first;
  if (answers.every(({ kind }) => kind === first.kind)) return { kind: first.kind, schema: { oneOf: answers.map(({ schema }) => schema) } };
  return { kind: "whole", schema: { oneOf: responses.map(({ content }) => content?.["application/json"]?.schema ?? {}) } };
}

function answerIn(schema: Schema): Method["answer"] {
  const names = Object.keys(schema.properties ?? {});
  const data = schema.properties?.["data"];
  if (data === undefined) return { kind: "whole", schema };
  if (names.length === 1) return { kind: "data", schema: data };
  if (names.length === 2 && names.includes("next_cursor")) return { kind: "page", schema: data.items ?? {} };
  return { kind: "whole", schema };
}
