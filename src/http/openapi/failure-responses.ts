// A route's failures, by status. Responses shared by many routes become components.
import { OF_ERRORS, RETRY_AFTER } from "./response-headers.ts";
import type { DocumentedRoute, DocumentedSurface } from "./surface.ts";
import type { Language, Text } from "./text.ts";
import { FAILURE_RESPONSES } from "@gateway/domain/failures/responses.ts";
import { FAILURE_TEXTS } from "@gateway/domain/failures/texts.ts";
import type { FailureCode } from "@gateway/protocol/failures.ts";

const CODES: Text = { en: "The error codes of this status", pt: "Os códigos de erro deste status" };
const ERROR_TEXT: Text = { en: "The error", pt: "O erro" };
const ERROR = { $ref: "#/components/schemas/Error" } as const;

/** Code lists shared by at least this many routes get a name. */
const SHARED_FROM = 4;

export function sharedResponses(surface: DocumentedSurface, language: Language) {
  const uses = new Map<string, { codes: readonly FailureCode[]; count: number }>();
  for (const route of surface.routes) {
    for (const [status, codes] of byStatus(failuresOf(surface, route))) {
      const name = sharedName(status, codes);
      uses.set(name, { codes, count: (uses.get(name)?.count ?? 0) + 1 });
    }
  }
  return [...uses]
    .filter(([, { count }]) => count >= SHARED_FROM)
    .map(([name, { codes }]) => [name, response(surface, codes, language)] as const);
}

export function failuresOf(surface: DocumentedSurface, route: DocumentedRoute): readonly FailureCode[] {
  return [...surface.commonFailures(route), ...(route.failures ?? [])];
}

export function failureResponses(surface: DocumentedSurface, codes: readonly FailureCode[], language: Language) {
  const shared = new Set(namesOf(surface));
  const responses = byStatus(codes).map(([status, group]) => {
    const name = sharedName(status, group);
    return [String(status), shared.has(name) ? { $ref: `#/components/responses/${name}` } : response(surface, group, language)] as const;
  });
  return Object.fromEntries(responses);
}

const known = new WeakMap<DocumentedSurface, readonly string[]>();

function namesOf(surface: DocumentedSurface): readonly string[] {
  let names = known.get(surface);
  if (names === undefined) {
    names = sharedResponses(surface, "en").map(([name]) => name);
    known.set(surface, names);
  }
  return names;
}

function byStatus(codes: readonly FailureCode[]): [status: number, codes: FailureCode[]][] {
  const groups = Map.groupBy(new Set(codes), (code) => FAILURE_RESPONSES[code].status);
  return [...groups].toSorted(([a], [b]) => a - b).map(([status, group]) => [status, group.toSorted()]);
}

function sharedName(status: number, codes: readonly FailureCode[]): string {
  return `${status}-${codes.join("-")}`;
}

function response(surface: DocumentedSurface, codes: readonly FailureCode[], language: Language) {
  const { body } = surface.failure;
  const seen = byName(surface, codes);
  const description = [...seen].map(([shown, code]) => `\`${shown}\`: ${FAILURE_TEXTS[code][language]}`).join("\n\n");
  const examples = Object.fromEntries([...seen].map(([shown, code]) => [shown, { value: body(code) }]));
  const waits = codes.some((code) => FAILURE_RESPONSES[code].status === 429 || FAILURE_RESPONSES[code].retryAfterSeconds !== undefined);
  const headers = { ...OF_ERRORS, ...(waits ? RETRY_AFTER : {}) };
  return { description, headers, content: { "application/json": { schema: errorWith(surface, [...seen.keys()], language), examples } } };
}

function errorWith({ failure }: DocumentedSurface, codes: readonly string[], language: Language) {
  const code = { type: "string" as const, enum: [...codes], description: CODES[language] };
  const error = { type: "object" as const, description: ERROR_TEXT[language], properties: { [failure.codeField]: code } };
  return { allOf: [ERROR, { type: "object" as const, properties: { error } }] };
}

/** Merges codes that share the same public name in the API. */
function byName(surface: DocumentedSurface, codes: readonly FailureCode[]): Map<string, FailureCode> {
  return new Map(codes.map((code) => [surface.failure.name(code), code]));
}
