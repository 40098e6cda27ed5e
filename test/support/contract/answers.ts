// Checks responses against their API's OpenAPI document: operation, status, media type, headers and body.
import { dereference, type Schema as JsonSchema, validate } from "@cfworker/json-schema";
import type { OpenApiDocument, Operation, ResponseShape, Schema } from "#root/src/http/openapi/shape.ts";

export type SeenAnswer = { method: string; path: string; status: number; headers: Headers; body: unknown };

type Described = { method: string; pattern: RegExp; operation: Operation };

const BASE = "https://contract.test/";
const JSON_TYPE = "application/json";

/** Headers set by the gateway itself, which the document must describe. */
const DESCRIBED_HEADERS = ["retry-after", "age", "idempotent-replayed", "idempotency-mismatch", "ratelimit", "ratelimit-policy"];

export class AnswerContract {
  readonly #document: OpenApiDocument;
  readonly #routes: readonly Described[];
  readonly #lookup: ReturnType<typeof dereference>;

  constructor(document: OpenApiDocument) {
    this.#document = document;
    this.#routes = Object.entries(document.paths)
      // If two patterns match, the one with fewer parameters wins.
      .toSorted(([a], [b]) => a.split("{").length - b.split("{").length)
      .flatMap(([path, item]) =>
        Object.entries(item).map(([method, operation]) => ({
          method: method.toUpperCase(),
          pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
          operation,
        })),
      );
    const answers = Object.values(document.paths).flatMap((item) =>
      Object.values(item).flatMap(({ responses }) => Object.values(responses).flatMap((response) => schemaOf(response) ?? [])),
    );
    const shared = Object.values(document.components.responses).flatMap((response) => schemaOf(response) ?? []);
    this.#lookup = dereference({ $id: BASE, components: document.components, allOf: [...answers, ...shared] } as object);
  }

  /** How a response violates the document; null if it conforms or the document has no such route. */
  problemOf({ method, path, status, headers, body }: SeenAnswer): string | null {
    // A parameterless match applies to every method, so a wrong method does not fall through to a path with parameters.
    const fits = this.#routes.find(({ pattern }) => pattern.test(path));
    const route = this.#routes.find((each) => each.pattern.source === fits?.pattern.source && each.method === method);
    if (route === undefined) return null;
    const { operationId, responses } = route.operation;
    const given = responses[String(status)];
    const code = errorCode(body);
    if (given === undefined) return `${operationId} answered ${status} ${code}, which is not described`;
    const response = given.$ref === undefined ? given : this.#document.components.responses[given.$ref.split("/").at(-1) ?? ""];
    const schema = response === undefined ? undefined : schemaOf(response);
    if (response === undefined || schema === undefined) return null;
    const unknown = status < 300 ? DESCRIBED_HEADERS.filter((name) => headers.has(name) && !isDescribed(response, name)) : [];
    if (unknown.length > 0) return `${operationId} ${status} has headers that are not described: ${unknown.join(", ")}`;
    const { valid, errors } = validate(body, schema as JsonSchema, "2020-12", this.#lookup, false);
    if (valid) return null;
    const details = errors.map(({ instanceLocation, error }) => `${instanceLocation} ${error}`).slice(-4);
    return `${operationId} ${status} ${code} is not as described: ${details.join("; ")}`;
  }
}

function schemaOf({ content }: ResponseShape): Schema | undefined {
  return content?.[JSON_TYPE]?.schema;
}

function isDescribed({ headers = {} }: ResponseShape, name: string): boolean {
  return Object.keys(headers).some((header) => header.toLowerCase() === name);
}

/** Reads either API's error code. */
function errorCode(body: unknown): string {
  const { error } = (body ?? {}) as { error?: { code?: string; codigo?: string } };
  return error?.codigo ?? error?.code ?? "";
}
