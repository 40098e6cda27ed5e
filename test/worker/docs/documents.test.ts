// The machine-readable descriptions: whole, and true to the route tables they are drawn from.
import { describe, expect, it } from "vitest";
import { NOTES } from "../../../src/connection-api/docs/notes.ts";
import { ROUTES } from "../../../src/connection-api/routes.ts";
import type { OpenApiDocument, Operation } from "../../../src/http/openapi/shape.ts";
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

/** Every `$ref` anywhere in the document. */
function references(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => (name === "$ref" ? [String(inner)] : references(inner)));
}

function found(document: unknown, reference: string): unknown {
  const names = reference.replace(/^#\//, "").split("/");
  return names.reduce((value, name) => (value as Record<string, unknown> | undefined)?.[name], document);
}

const document = await documentAt("/docs/connection.json");

describe("/docs/connection.json", () => {
  it("is OpenAPI 3.1 and hangs together", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.servers).toEqual([{ url: "https://app.example.com" }]);
    for (const reference of references(document)) expect([reference, found(document, reference)]).not.toEqual([reference, undefined]);
    const ids = operations(document).map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("describes exactly the routes of the table", () => {
    const described = operations(document).map(({ method, path }) => `${method} ${path}`);
    expect(described.toSorted()).toEqual(ROUTES.map(({ method, path }) => `${method} /api/v1${path}`).toSorted());
    const tags = new Set(document.tags.map(({ name }) => name));
    expect(ROUTES.filter(({ tag }) => !tags.has(tag))).toEqual([]);
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

  it("offers the idempotency key wherever something is changed, and nowhere else", () => {
    for (const { path, method, operation } of operations(document)) {
      const offered = (operation.parameters ?? []).some((parameter) => parameter.name === "Idempotency-Key");
      expect([method, path, offered]).toEqual([method, path, method !== "get"]);
    }
  });

  it("has a note for every route of the table", () => {
    expect(ROUTES.map(({ method, path }) => `${method.toUpperCase()} ${path}`).filter((name) => !Object.hasOwn(NOTES, name))).toEqual([]);
  });
});

describe.each(ROUTES.map((route) => ({ route, name: `${route.method.toUpperCase()} ${route.path}` })))(
  "the examples of $name",
  ({ route }) => {
    const operation = document.paths[`/api/v1${route.path}`]?.[route.method] as Operation;

    it("are what the route takes and answers", () => {
      const example = operation.requestBody?.content["application/json"]?.example;
      const isNeeded = operation.requestBody?.required === true;
      expect(isNeeded && example === undefined, "a needed body without an example").toBe(false);
      const answer = operation.responses["200"]?.content?.["application/json"]?.example;
      const parsed = route.response.safeParse(answer);
      expect(parsed.success ? null : [answer, parsed.error.issues]).toBeNull();
    });

    it("come with the failures that every route has", () => {
      const statuses = Object.keys(operation.responses);
      for (const status of ["200", "401", "402", "429", "500", "503"]) expect(statuses).toContain(status);
    });
  },
);
