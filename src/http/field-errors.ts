// Messages for invalid fields. Named problems come first, then our messages for zod's issues, and then zod's own.
import type { z } from "zod";
import ptBR from "zod/v4/locales/pt-BR.js";
import { textOfIssue } from "./problems.ts";
import type { ErrorMessages } from "./read-request.ts";

type Language = "en" | "pt";
type Issue = z.core.$ZodRawIssue;
type Words = {
  unknown: string;
  use: string;
  required: string;
  empty: string;
  none: string;
  atLeast: (least: string, unit: Unit) => string;
  atMost: (most: string, unit: Unit) => string;
  oneOf: (values: string) => string;
  formats: Readonly<Record<string, string>>;
  types: Readonly<Record<string, string>>;
};
type Unit = "characters" | "items" | "number";

const { localeError: portugueseOfZod } = ptBR();

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    unknown: "is not a known field",
    use: "use",
    required: "is required",
    empty: "must not be empty",
    none: "must have at least one item",
    atLeast: (least, unit) => (unit === "number" ? `must be at least ${least}` : `must have at least ${least} ${unit}`),
    atMost: (most, unit) => (unit === "number" ? `must be at most ${most}` : `must have at most ${most} ${unit}`),
    oneOf: (values) => `must be one of: ${values}`,
    formats: {
      email: "is not an email address",
      url: "is not a URL",
      uuid: "is not a UUID",
      datetime: "is not a time in ISO 8601",
      date: "is not a date such as 2026-11-22",
    },
    types: {
      string: "must be a text",
      number: "must be a number",
      int: "must be a whole number",
      boolean: "must be true or false",
      array: "must be a list",
      object: "must be an object",
    },
  },
  pt: {
    unknown: "campo desconhecido",
    use: "use",
    required: "é obrigatório",
    empty: "não pode ficar vazio",
    none: "deve ter ao menos um item",
    atLeast: (least, unit) =>
      `deve ${unit === "number" ? `ser no mínimo ${least}` : `ter no mínimo ${least} ${unit === "items" ? "itens" : "caracteres"}`}`,
    atMost: (most, unit) =>
      `deve ${unit === "number" ? `ser no máximo ${most}` : `ter no máximo ${most} ${unit === "items" ? "itens" : "caracteres"}`}`,
    oneOf: (values) => `deve ser um destes: ${values}`,
    formats: {
      email: "não é um endereço de e-mail",
      url: "não é uma URL",
      uuid: "não é um UUID",
      datetime: "não é uma data e hora em ISO 8601",
      date: "não é uma data como 2026-11-22",
    },
    types: {
      string: "deve ser um texto",
      number: "deve ser um número",
      int: "deve ser um número inteiro",
      boolean: "deve ser true ou false",
      array: "deve ser uma lista",
      object: "deve ser um objeto",
    },
  },
};

export const ENGLISH_FIELDS: ErrorMessages = {
  halfCharacter: "has half of a character (a lone surrogate, \\ud800 to \\udfff)",
  notUtf8: "is not valid UTF-8",
  error: (issue) => wordsOf(issue, "en"),
};

export const PORTUGUESE_FIELDS: ErrorMessages = {
  halfCharacter: "tem meio caractere (um substituto isolado, \\ud800 a \\udfff)",
  notUtf8: "não é UTF-8 válido",
  error: (issue) => wordsOf(issue, "pt") ?? portugueseOfZod(issue),
};

/** Field names in other messaging APIs, with our names for the same fields. */
const MEANT: Readonly<Record<string, string>> = {
  number: "to",
  phone: "to",
  phone_number: "to",
  recipient: "to",
  numero: "to",
  telefone: "to",
  chatid: "chat_id",
  remotejid: "chat_id",
  jid: "chat_id",
  message: "text",
  body: "text",
  content: "text",
  mensagem: "text",
  texto: "text",
};

/** Returns "is not a known field: use to" if the schema has a field of the intended name. */
function unknownFields({ keys, inst }: Extract<Issue, { code: "unrecognized_keys" }>, { unknown, use }: Words): string {
  const shape = (inst as z.ZodObject | undefined)?.shape ?? {};
  const meant = keys.flatMap((key) => {
    const field = MEANT[key.toLowerCase()];
    return field !== undefined && Object.hasOwn(shape, field) ? [{ key, field }] : [];
  });
  if (meant.length === 0) return unknown;
  const [only] = meant;
  return keys.length === 1 && only !== undefined
    ? `${unknown}: ${use} ${only.field}`
    : `${unknown} (${meant.map(({ key, field }) => `${key}: ${use} ${field}`).join(", ")})`;
}

/** The problem that one of the union's types reports for the value itself. */
function problemInUnion({ errors }: Extract<Issue, { code: "invalid_union" }>, language: Language): string | undefined {
  const found = errors.flat().find(({ code, path }) => code === "custom" && path.length === 0);
  return found === undefined ? undefined : textOfIssue(found as Issue, language);
}

function wordsOf(issue: Issue, language: Language): string | undefined {
  const words = WORDS[language];
  // zod calls an unknown field an invalid key and a missing field undefined, so both get our own messages.
  if (issue.code === "unrecognized_keys") return unknownFields(issue, words);
  if (issue.input === undefined && issue.code.startsWith("invalid_")) return words.required;
  switch (issue.code) {
    case "custom":
      return textOfIssue(issue, language);
    case "too_small":
      if (Number(issue.minimum) === 1 && issue.inclusive !== false && unitOf(issue.origin) !== "number") {
        return unitOf(issue.origin) === "items" ? words.none : words.empty;
      }
      return issue.inclusive === false ? undefined : words.atLeast(String(issue.minimum), unitOf(issue.origin));
    case "too_big":
      return issue.inclusive === false ? undefined : words.atMost(String(issue.maximum), unitOf(issue.origin));
    case "invalid_format":
      return words.formats[issue.format];
    case "invalid_union":
      return problemInUnion(issue, language);
    case "invalid_type":
      return words.types[issue.expected];
    case "invalid_value":
      return words.oneOf(issue.values.map(String).join(", "));
    default:
      return undefined;
  }
}

function unitOf(origin: string): Unit {
  return origin === "string" ? "characters" : origin === "array" || origin === "set" ? "items" : "number";
}
