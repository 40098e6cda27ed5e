// The OpenAPI documents: complete, and consistent with their route tables.
import { describe, expect, it, vi } from "vitest";
import { ACCOUNT_EVENT_TYPES } from "#root/src/api/events/account/events.ts";
import { ROUTES as ACCOUNT_ROUTES } from "#root/src/api/account/routes.ts";
import { CONNECTION_EVENT_TYPES } from "#root/src/api/events/connection/events.ts";
import { ROUTES } from "#root/src/api/connection/routes.ts";
import type { OpenApiDocument, Operation } from "#root/src/http/openapi/shape.ts";
import type { DocumentedRoute } from "#root/src/http/openapi/surface.ts";
import { freshAddress, gateway } from "../support/gateway.ts";

const ask = gateway();

async function documentAt(path: string): Promise<OpenApiDocument> {
  const answer = await ask(path, { headers: { "cf-connecting-ip": freshAddress() } });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
  return (await answer.json()) as OpenApiDocument;
}

const operations = (document: OpenApiDocument) =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );

/** All `$ref` values in the document. */
function references(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => (name === "$ref" ? [String(inner)] : references(inner)));
}

function found(document: unknown, reference: string): unknown {
  const names = reference.replace(/^#\//, "").split("/");
  return names.reduce((value, name) => (value as Record<string, unknown> | undefined)?.[name], document);
}

type Described = {
  prefix: string;
  server: string;
  routes: readonly DocumentedRoute[];
  document: OpenApiDocument;
  eventTypes: readonly string[];
  deliveryHeaders: readonly string[];
  /** Statuses that every authenticated route may return. */
  always: readonly string[];
};

const DESCRIBED: Readonly<Record<string, Described>> = {
  connection: {
    prefix: "/api/v1",
    server: "https://app.example.com",
    routes: ROUTES,
    document: await documentAt("/docs/connection.json"),
    eventTypes: CONNECTION_EVENT_TYPES,
    deliveryHeaders: ["webhook-id", "webhook-timestamp", "webhook-signature"],
    always: ["401", "402", "429", "500", "503"],
  },
  account: {
    prefix: "/api",
    server: "https://api.example.com",
    routes: ACCOUNT_ROUTES,
    document: await documentAt("/docs/account.json"),
    eventTypes: ACCOUNT_EVENT_TYPES,
    deliveryHeaders: ["X-Service-Signature"],
    always: ["401", "403", "429", "500", "503"],
  },
};

describe.each(Object.entries(DESCRIBED))("/docs/%s.json", (_, { document, prefix, server, routes, eventTypes, deliveryHeaders }) => {
  it("is OpenAPI 3.1, and all its references resolve", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.info.version).toBe("1.0");
    expect(document.servers).toEqual([{ url: server }]);
    for (const reference of references(document)) expect([reference, found(document, reference)]).not.toEqual([reference, undefined]);
  });

  it("names every operation once, and marks what it reads, changes or destroys", () => {
    const named = operations(document).map(({ operation }) => operation);
    expect(new Set(named.map(({ operationId }) => operationId)).size).toBe(named.length);
    for (const { operationId } of named) expect(operationId).toMatch(/^[a-z]+([A-Z][a-z]*)*$/);
    for (const { method, operation } of operations(document)) {
      const effects = method === "get" ? ["read"] : ["read", "change", "destructive"];
      expect(effects, operation.operationId).toContain(operation["x-effect"]);
    }
  });

  it("describes exactly the routes of the table", () => {
    const described = operations(document).map(({ method, path }) => `${method} ${path}`);
    expect(described.toSorted()).toEqual(routes.map(({ method, path }) => `${method} ${prefix}${path}`).toSorted());
    const tags = new Set(document.tags.map(({ name }) => name));
    expect(routes.filter(({ tag }) => !tags.has(tag))).toEqual([]);
  });

  it("declares every parameter of a path, with an example", () => {
    for (const { path, operation } of operations(document)) {
      const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
      const wanted = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      expect([path, inPath.map(({ name }) => name)]).toEqual([path, wanted]);
      for (const { name, example, required } of inPath)
        expect([path, name, typeof example, required]).toEqual([path, name, "string", true]);
    }
  });

  it("describes every delivered event with its own schema, example, headers and responses", () => {
    const operations = Object.entries(document.webhooks).map(([type, { post }]) => ({ type, post }));
    expect(operations.map(({ type }) => type)).toEqual(eventTypes);
    const schemas = operations.map(({ post }) => post.requestBody?.content["application/json"]?.schema?.$ref);
    expect(new Set(schemas).size).toBe(eventTypes.length);
    for (const { type, post } of operations) {
      expect([type, post.requestBody?.content["application/json"]?.example]).toMatchObject([type, { data: {} }]);
      expect([type, Object.keys(post.responses)]).toEqual([type, ["2XX", "default"]]);
      expect([type, (post.parameters ?? []).map(({ name }) => name)]).toEqual([type, deliveryHeaders]);
    }
  });

  it("offers the idempotency key wherever something is changed, and nowhere else", () => {
    for (const { path, method, operation } of operations(document)) {
      const offered = (operation.parameters ?? []).some((parameter) => parameter.name === "Idempotency-Key");
      expect([method, path, offered]).toEqual([method, path, method !== "get"]);
    }
  });
});

const EACH = Object.entries(DESCRIBED).flatMap(([surface, described]) =>
  described.routes.map((route) => ({ ...described, route, name: `${surface}: ${route.method.toUpperCase()} ${route.path}` })),
);

describe.each(EACH)("the examples of $name", ({ route, prefix, document, always }) => {
  const operation = document.paths[prefix + route.path]?.[route.method] as Operation;

  it("match what the route accepts and returns", () => {
    const example = operation.requestBody?.content["application/json"]?.example;
    const isNeeded = operation.requestBody?.required === true;
    expect(isNeeded && example === undefined, "a required body lacks an example").toBe(false);
    const content = operation.responses[String(route.status ?? 200)]?.content ?? {};
    const types = [
      route.streams === true ? "text/event-stream" : (route.textType ?? "application/json"),
      ...(route.binary === true ? ["*/*"] : []),
    ];
    expect(Object.keys(content)).toEqual(types);
    const answer = content["application/json"]?.example;
    const parsed = types[0] === "application/json" ? route.response?.safeParse(answer) : undefined;
    expect(parsed === undefined || parsed.success ? null : [answer, parsed.error.issues]).toBeNull();
  });

  it("come with the failures that every route has", () => {
    const statuses = Object.keys(operation.responses);
    for (const status of route.isPublic === true ? [] : always) expect(statuses).toContain(status);
  });
});

describe("GET /api/openapi.json", () => {
  it("is the Account API's document, for all callers from any origin", async () => {
    const answer = await ask("/api/openapi.json", { headers: { origin: "https://elsewhere.example" } });
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(await answer.json()).toEqual(DESCRIBED["account"]?.document);
  });

  it("lists each route's authentication", () => {
    const { document } = DESCRIBED["account"] as Described;
    const security = (path: string, method: string) => document.paths[path]?.[method]?.security;
    expect(document).toMatchObject({
      security: [{ apiKey: [] }, { bearer: [] }],
      components: {
        securitySchemes: {
          apiKey: { type: "apiKey", in: "header", name: "X-Api-Key" },
          bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
        },
      },
    });
    expect(security("/api/health", "get")).toEqual([]);
    expect(security("/api/api-keys", "post")).toEqual([{ bearer: [] }]);
    expect(security("/api/instances", "get")).toBeUndefined();
  });
});

describe("a public text", () => {
  const texts = ["/docs/account.json", "/docs/account.json?lang=pt", "/docs/connection.json", "/docs/connection.json?lang=pt", "/llms.txt"];
  const read = (path: string, headers: Record<string, string> = {}) =>
    ask(path, { headers: { "cf-connecting-ip": freshAddress(), ...headers } });

  it.each(texts)("is written once, and not sent again to a client that has it: %s", async (path) => {
    const first = await read(path);
    const [text, etag] = [await first.text(), first.headers.get("etag") ?? ""];
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    const written = vi.spyOn(JSON, "stringify");
    const second = await read(path);
    expect([second.headers.get("etag"), (await second.text()) === text]).toEqual([etag, true]);
    expect(written.mock.results.filter(({ value }) => String(value).length > 10_000)).toEqual([]);
    written.mockRestore();
    for (const known of [etag, `W/${etag}`, `"other", W/${etag}`, "*"]) {
      const again = await read(path, { "if-none-match": known });
      const kept = ["etag", "cache-control"].map((name) => again.headers.get(name));
      expect([again.status, await again.text(), ...kept]).toEqual([304, "", etag, "public, max-age=300"]);
    }
    expect((await read(path, { "if-none-match": '"other"' })).status).toBe(200);
  });

  it("has a tag of its own in each language", async () => {
    const tags = await Promise.all(texts.map(async (path) => (await read(path)).headers.get("etag")));
    expect(new Set(tags).size).toBe(texts.length);
  });
});
