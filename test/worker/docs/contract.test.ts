// Properties of both documents that integrators and code generators rely on.
import { describe, expect, it } from "vitest";
import { accountDocument } from "#root/src/api/docs/account/document.ts";
import { FIELD_DESCRIPTIONS as ACCOUNT_DESCRIPTIONS } from "#root/src/api/docs/account/field-descriptions.ts";
import { FAMILIES } from "#root/src/api/account/routes.ts";
import { connectionDocument, FIELD_DESCRIPTIONS as CONNECTION_DESCRIPTIONS } from "#root/src/api/docs/connection/document.ts";
import type { OpenApiDocument, Operation, Schema } from "#root/src/http/openapi/shape.ts";

const DOCUMENTS = [
  {
    api: "Connection API",
    document: connectionDocument("https://app.example.com"),
    descriptions: CONNECTION_DESCRIPTIONS,
    codeField: "codigo",
    prefix: "",
  },
  {
    api: "Account API",
    document: accountDocument("https://api.example.com", FAMILIES),
    descriptions: ACCOUNT_DESCRIPTIONS,
    codeField: "code",
    prefix: "Account",
  },
];

const operationsOf = (document: OpenApiDocument): Operation[] => Object.values(document.paths).flatMap((item) => Object.values(item));
const JSON_TYPE = "application/json";

type Field = { owner: string; name: string; schema: Schema };

/** All properties of a schema, including nested ones. */
function fieldsOf(owner: string, schema: Schema): Field[] {
  const own = Object.entries(schema.properties ?? {}).map(([name, field]) => ({ owner, name, schema: field }));
  const parts = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) => list ?? []);
  const inner = [...own.map((field) => field.schema), ...parts, ...(schema.items === undefined ? [] : [schema.items])];
  return [...own, ...inner.flatMap((each) => fieldsOf(owner, each))];
}

describe.each(DOCUMENTS)("the contract of the $api", ({ document, descriptions, codeField, prefix }) => {
  const operations = operationsOf(document);
  const fields = [
    ...Object.entries(document.components.schemas).flatMap(([name, schema]) => fieldsOf(name, schema)),
    ...operations.flatMap(({ operationId, responses }) =>
      Object.values(responses).flatMap(({ content }) => fieldsOf(operationId, content?.[JSON_TYPE]?.schema ?? {})),
    ),
  ];

  it("describes every property, schema, parameter, header and answer", () => {
    const silent = fields.filter(({ schema }) => schema.$ref === undefined && !schema.description);
    expect(silent.map(({ owner, name }) => `${owner}.${name}`)).toEqual([]);
    const parameters = operations.flatMap(({ operationId, parameters: list = [] }) =>
      list.filter(({ description }) => !description).map(({ name }) => `${operationId} ${name}`),
    );
    expect(parameters).toEqual([]);
    const unnamed = Object.entries(document.components.schemas).filter(
      ([name, { description }]) => !description && !name.endsWith("Request"),
    );
    expect(unnamed.map(([name]) => name)).toEqual([]);
    for (const { operationId, responses } of operations)
      for (const { headers = {} } of Object.values(responses))
        expect([operationId, Object.values(headers).filter((header) => header.$ref === undefined)]).toEqual([operationId, []]);
    for (const [name, { description }] of Object.entries(document.components.headers)) expect([name, description]).not.toEqual([name, ""]);
  });

  it("describes no field that is not there", () => {
    const shown = [
      ...fields.map(({ schema }) => schema.description),
      ...Object.values(document.components.schemas).map(({ description }) => description),
      ...operations.flatMap(({ parameters = [] }) => parameters.map(({ description }) => description)),
    ];
    const texts = new Set(shown.flatMap((text = "") => [text, text.replace(/\. Default: \S+\.$/, "")]));
    expect(Object.entries(descriptions).filter(([, { en }]) => !texts.has(en) && !texts.has(en.replace(/\.$/, "")))).toEqual([]);
  });

  it("has no default in a request, because generators of typed clients make such a field required", () => {
    const { schemas } = document.components;
    const defaults = (path: string, schema: Schema, seen: readonly string[] = []): string[] => {
      const { $ref, properties = {}, items } = schema;
      const inner = Object.entries(properties);
      const parts = [schema.anyOf, schema.oneOf, schema.allOf, items === undefined ? [] : [items]].flatMap((list) => list ?? []);
      const name = $ref?.split("/").at(-1);
      return [
        ...(schema.default === undefined ? [] : [path]),
        ...inner.flatMap(([field, each]) => defaults(`${path}.${field}`, each, seen)),
        ...parts.flatMap((each) => defaults(path, each, seen)),
        ...(name === undefined || seen.includes(name) ? [] : defaults(name, schemas[name] ?? {}, [...seen, name])),
      ];
    };
    const found = operations.flatMap(({ operationId, parameters = [], requestBody }) => [
      ...parameters.flatMap(({ name, schema = {} }) => defaults(`${operationId} ${name}`, schema)),
      ...Object.values(requestBody?.content ?? {}).flatMap(({ schema = {} }) => defaults(operationId, schema)),
    ]);
    expect(found).toEqual([]);
  });

  it("names the body of every request after its operation", () => {
    const named = ({ operationId }: Operation) => `${prefix}${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Request`;
    const bodies = operations.filter(({ requestBody }) => requestBody !== undefined);
    const references = bodies.map(({ requestBody }) => requestBody?.content[JSON_TYPE]?.schema?.$ref);
    expect(references).toEqual(bodies.map((operation) => `#/components/schemas/${named(operation)}`));
  });

  it("has no component that is nullable by itself", () => {
    const nullable = Object.entries(document.components.schemas).filter(([, { type }]) => Array.isArray(type));
    expect(nullable.map(([name]) => name)).toEqual([]);
  });

  it("lists the codes that an answer can have, and shows each with its own sentence", () => {
    for (const { operationId, responses } of operations) {
      for (const [status, given] of Object.entries(responses)) {
        if (status.startsWith("2")) continue;
        const name = given.$ref?.split("/").at(-1) ?? "";
        const { content } = name === "" ? given : (document.components.responses[name] ?? {});
        const examples = content?.[JSON_TYPE]?.examples ?? {};
        const codes = content?.[JSON_TYPE]?.schema?.allOf?.[1]?.properties?.["error"]?.properties?.[codeField]?.enum ?? [];
        expect([operationId, status, Object.keys(examples).toSorted()]).toEqual([operationId, status, codes.map(String).toSorted()]);
      }
    }
  });
});

describe("a send of the Connection API", () => {
  it("asks for exactly one destination of a send, and exactly one source of a file", () => {
    const { SendTextRequest, File, DocumentFile } = DOCUMENTS[0]?.document.components.schemas ?? {};
    const choices = (schema: Schema | undefined) => schema?.oneOf?.map(({ required }) => required);
    expect(choices(SendTextRequest)).toEqual([["to"], ["chat_id"]]);
    expect(choices(File)).toEqual([["url"], ["base64"]]);
    expect(choices(DocumentFile)).toEqual([["url"], ["base64"]]);
    expect(DocumentFile?.required).toContain("filename");
  });
});

it("the description of an optional field states its default", () => {
  const described = (name: string, field: string) =>
    DOCUMENTS[1]?.document.components.schemas[name]?.properties?.[field]?.description?.match(/Default: .+\.$/)?.[0];
  expect(described("AccountCreateInstanceRequest", "kind")).toBe("Default: `session`.");
  expect(described("AccountConnectInstanceRequest", "force_new_pairing")).toBe("Default: `false`.");
});

describe("both documents", () => {
  it("give one name to one shape only", () => {
    const [connection, account] = DOCUMENTS.map(({ document }) => document.components.schemas);
    const shared = Object.keys(connection ?? {}).filter((name) => Object.hasOwn(account ?? {}, name));
    for (const name of shared) expect([name, account?.[name]]).toEqual([name, connection?.[name]]);
  });
});
