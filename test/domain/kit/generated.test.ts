// The generated clients match the route tables, and each method sends the documented request.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { generate } from "@gateway/codegen/generate.ts";
import { CLASSES, KINDS } from "@gateway/codegen/error-kinds.ts";
import { statusesOf } from "@gateway/codegen/error-kinds-file.ts";
import type { DocumentedOperation, OpenApi } from "@gateway/codegen/document.ts";
import { methodName } from "@gateway/codegen/operations.ts";
import { AccountClient, ConnectionClient } from "@gateway/sdk";
import { classOf } from "#root/packages/sdk/src/codes.ts";

// test/domain/docs/openapi.test.ts compares these documents with the code.
const [connection, account] = ["connection", "account"].map(
  (api) => JSON.parse(readFileSync(`docs/openapi/${api}.json`, "utf8")) as OpenApi,
) as [OpenApi, OpenApi];
const INSTANCE = "0189a5b2-7c3d-7e4f-8a9b-0c1d2e3f4a5b";

type Fetch = (input: unknown, init?: RequestInit) => Promise<Response>;
type Sent = { method: string; url: URL; headers: Headers; body: unknown };
type Methods = Record<string, Record<string, (...given: unknown[]) => unknown>>;

function recorder(): { fetch: Fetch; sent: Sent[] } {
  const sent: Sent[] = [];
  const fetch = async (input: unknown, init: RequestInit = {}): Promise<Response> => {
    const url = input as URL;
    sent.push({
      method: init.method ?? "GET",
      url,
      headers: new Headers(init.headers),
      body: init.body === undefined ? undefined : JSON.parse(init.body as string),
    });
    return Response.json({ data: [], next_cursor: null });
  };
  return { fetch, sent };
}

function operationsOf(document: OpenApi): { path: string; verb: string; operation: DocumentedOperation }[] {
  return Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({ path, verb, operation })),
  );
}

type Example = { example?: unknown; examples?: Record<string, { value: unknown }> };

function exampleBody(operation: DocumentedOperation): unknown {
  const content = operation.requestBody?.content["application/json"] as Example | undefined;
  return content?.example ?? Object.values(content?.examples ?? {})[0]?.value ?? {};
}

/** The client with the path's prefix, as assigned by the generator. */
function methodsFor(path: string, tag: string, fetch: Fetch): Methods {
  const options = { apiKey: "svc_x", baseUrl: "https://app.example.com/", fetch };
  if (path.startsWith("/api/v1/")) return new ConnectionClient(options) as unknown as Methods;
  const client = new AccountClient(options);
  return (path.startsWith("/api/instances/{instanceId}/") && tag !== "instances"
    ? client.instance(INSTANCE)
    : client) as unknown as Methods;
}

describe("the generated files", () => {
  it.each([...generate(connection, account)])("are those that `npm run openapi` writes: %s", (path, text) => {
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  it("type a send as accepted or waiting, in both languages", () => {
    expect(readFileSync("packages/sdk/api.md", "utf8")).toContain("messages.sendText(body, options?): Promise<SendResult | AcceptedSend>");
    const python = readFileSync("packages/python/src/gateway_sdk/generated/connection.py", "utf8");
    expect(python).toMatch(/def send_text\(.*\) -> Union\[t\.SendResult, t\.AcceptedSend\]:/);
  });

  it("give each code its class, with every documented status", () => {
    const statuses = statusesOf([connection, account]);
    expect(statuses.size).toBeGreaterThan(150);
    for (const [code, kind] of Object.entries(KINDS))
      expect(
        [...(statuses.get(code) ?? [400, 500])].map((status) => classOf(code, status)),
        code,
      ).toEqual([...(statuses.get(code) ?? [400, 500])].map(() => CLASSES[kind]));
  });

  it("name methods without repeating their resource", () => {
    expect(methodName("listChats", "chats")).toBe("list");
    expect(methodName("getChatPicture", "chats")).toBe("getPicture");
    expect(methodName("sendText", "messages")).toBe("sendText");
    expect(methodName("listLabelChats", "labels")).toBe("listChats");
    expect(methodName("deleteStatus", "status")).toBe("delete");
    expect(methodName("getInstanceStatus", "instances")).toBe("getStatus");
  });
});

describe.each([
  { api: "the Connection API", document: connection },
  { api: "the Account API", document: account },
])("each operation of $api sends its documented request", ({ document }) => {
  it.each(operationsOf(document))("$verb $path", async ({ path, verb, operation }) => {
    const { fetch, sent } = recorder();
    const [resource = ""] = operation.tags;
    const methods = methodsFor(path, resource, fetch);
    const call = methods[resource]?.[methodName(operation.operationId, resource)];
    if (call === undefined) throw new Error(`no method for ${operation.operationId}`);

    const bound = path.startsWith("/api/instances/{instanceId}/") && resource !== "instances";
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
    const values = names.map((name) => (name === "instanceId" ? INSTANCE : `${name} @1/2`));
    const query = (operation.parameters ?? []).filter((parameter) => parameter.in === "query");
    const given = query.length === 0 ? [] : [Object.fromEntries(query.map(({ name }) => [name, `${name} &=1`]))];
    const body = operation.requestBody === undefined ? [] : [exampleBody(operation)];
    const answer = call(...(bound ? values.slice(1) : values), ...body, ...given);
    if (/^stream\w*Events$/.test(operation.operationId)) void (answer as AsyncIterable<unknown>)[Symbol.asyncIterator]().next();
    else await answer;

    const [request] = sent;
    expect(request?.method).toBe(verb.toUpperCase());
    const filled = path.replaceAll(/\{(\w+)\}/g, () => encodeURIComponent(values.shift() ?? ""));
    expect(request?.url.pathname).toBe(filled);
    expect(Object.fromEntries(request?.url.searchParams ?? [])).toEqual(given[0] ?? {});
    expect(request?.body).toEqual(body[0]);
    expect(request?.headers.get("x-api-key")).toBe("svc_x");
    expect(request?.headers.has("idempotency-key")).toBe(operation["x-effect"] !== "read");
  });
});
