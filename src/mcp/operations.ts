// Finds and calls the API's other operations, as its published document describes them.
import type { AppContext } from "../http/app-env.ts";
import { toolResultOf, callApi, failed, said } from "./results.ts";
import { refusalOf } from "./confirmation.ts";
import type { Port } from "./port.ts";
import { type Arguments, type Client, queryOf, requestId, segment, text, textAt, type Tool, type ToolResult } from "./tool.ts";

/** `parameters` and `body` list field names. Required body fields end in `*`. */
export type Operation = { operation: string; method: string; path: string; summary: string; parameters: string[]; body: string[] };

const DOCUMENT = "/docs/connection.json";
const PREFIX = "/api/v1/";
const MAX_FOUND = 15;
/** Listeners are excluded, because their streams never end. */
const WITHOUT = "listeners";

/** Cached per isolate, because the document changes only with a release. */
let known: readonly Operation[] | null = null;

export const SEARCH = {
  find_operation: {
    scope: "read",
    description: "Searches the other operations of the API by name, method, path and summary.",
    properties: { query: text("Words, e.g. `group subject`") },
    required: ["query"],
    run: async (c: AppContext, { query }: Arguments, _client: unknown, port: Port): Promise<ToolResult> => {
      const operations = await operationsOf(c, port);
      if (operations === null) return failed("The API's document is not available");
      const words = String(query).toLowerCase().split(/\s+/);
      const matches = operations.filter(({ operation, method, path, summary }) => {
        const searched = `${operation} ${method} ${path} ${summary}`.toLowerCase();
        return words.every((word) => searched.includes(word));
      });
      return said({ operations: matches.slice(0, MAX_FOUND), more: Math.max(0, matches.length - MAX_FOUND) });
    },
  },
} as const satisfies Record<string, Tool>;

export const GENERAL = {
  call_operation: {
    scope: "any",
    description: "Calls an operation that find_operation found. One that changes something needs request_id.",
    properties: {
      operation: text("Its name"),
      parameters: { type: "object", description: "Values of the parameters, by name" },
      body: { type: "object" },
      request_id: requestId,
    },
    required: ["operation"],
    destructive: true,
    idempotent: false,
    run: callOperation,
  },
} as const satisfies Record<string, Tool>;

async function callOperation(c: AppContext, given: Arguments, client: Client, port: Port): Promise<ToolResult> {
  const rights = await port.rights(c);
  if (!rights.ok) return toolResultOf(rights.response);
  if (!rights.value.policy.call_operation) return failed("This key's policy for assistants does not allow call_operation");
  const found = (await operationsOf(c, port))?.find(({ operation }) => operation === given["operation"]);
  if (found === undefined) return failed("No operation has this name");
  const { method } = found;
  const path = pathOf(found, (given["parameters"] ?? {}) as Arguments);
  if (!path.ok) return failed(path.problem);
  if (method !== "GET") {
    if (given["request_id"] === undefined) return failed("request_id is missing");
    const change = { name: "call_operation", tool: GENERAL.call_operation, given, chatId: null };
    const refused = await refusalOf(c, change, client, port);
    if (refused !== null) return refused;
  }
  const body = method === "GET" ? undefined : (given["body"] as object | undefined);
  return toolResultOf(
    await callApi(c, { method, path: path.path, ...(body !== undefined && { body }) }, port, textAt(given, "request_id")),
  );
}

/** Parameters that are not in the path go into the query. */
function pathOf({ path, parameters }: Operation, given: Arguments): { ok: true; path: string } | { ok: false; problem: string } {
  const inPath = parameters.filter((name) => path.includes(`{${name}}`));
  // As path segments, these values would lead to a different route.
  const missing = inPath.find((name) => ["", ".", ".."].includes(valueAt(given, name)));
  if (missing !== undefined) return { ok: false, problem: `parameters.${missing} is missing` };
  const filled = inPath.reduce((whole, name) => whole.replace(`{${name}}`, () => segment(given[name])), path);
  const query = Object.entries(given).filter(([name]) => !inPath.includes(name));
  return { ok: true, path: filled + queryOf(Object.fromEntries(query)) };
}

/** The text of a path parameter, which may be a number. Empty for other values. */
function valueAt(given: Arguments, name: string): string {
  return typeof given[name] === "number" ? String(given[name]) : (textAt(given, name) ?? "");
}

type Schema = { $ref?: string; properties?: Record<string, unknown>; required?: string[] };
type OperationObject = {
  operationId: string;
  summary: string;
  tags: string[];
  parameters?: { name?: string; in?: string }[];
  requestBody?: { content?: Record<string, { schema?: Schema }> };
};
type Document = { paths: Record<string, Record<string, OperationObject>>; components: { schemas: Record<string, Schema> } };

/** Null while the document is not available. */
export async function operationsOf(c: AppContext, port: Port): Promise<readonly Operation[] | null> {
  if (known !== null) return known;
  const response = await port.callApi(new Request(new URL(DOCUMENT, c.req.url)), c);
  if (!response.ok) return null;
  const { paths, components } = await response.json<Document>();
  const bodyOf = ({ requestBody }: OperationObject): string[] => {
    const given = Object.values(requestBody?.content ?? {})[0]?.schema;
    const { properties = {}, required = [] } = components.schemas[given?.$ref?.split("/").at(-1) ?? ""] ?? given ?? {};
    return Object.keys(properties).map((name) => (required.includes(name) ? `${name}*` : name));
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => path.startsWith(PREFIX) && !tags.includes(WITHOUT))
      .map(([method, row]) => ({
        operation: row.operationId,
        method: method.toUpperCase(),
        path: path.slice(PREFIX.length),
        summary: row.summary,
        parameters: (row.parameters ?? []).flatMap(({ name, in: place }) => (name === undefined || place === "header" ? [] : [name])),
        body: bodyOf(row),
      })),
  );
  known = operations;
  return operations;
}
