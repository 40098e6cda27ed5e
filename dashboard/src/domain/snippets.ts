// Shows an API call as code. The code contains the key only while the key is visible on screen, and otherwise reads `API_KEY`.

export type Call = {
  method: string;
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: Json;
};

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

export const SNIPPET_LANGUAGES = ["curl", "node", "python", "php"] as const;
export type SnippetLanguage = (typeof SNIPPET_LANGUAGES)[number];

/** `key` is null if the code reads it from the environment. */
export function snippet(language: SnippetLanguage, call: Call, key: string | null): string {
  return WRITERS[language](call, key);
}

const WRITERS: Readonly<Record<SnippetLanguage, (call: Call, key: string | null) => string>> = {
  curl: (call, key) => {
    const lines = [
      `curl -X ${call.method} ${shellQuoted(call.url)}`,
      `-H ${key === null ? '"X-Api-Key: $API_KEY"' : shellQuoted(`X-Api-Key: ${key}`)}`,
      ...headersOf(call).map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    ];
    // Uses `--data-raw`, because `-d` would read a file if the body started with @.
    if (call.body !== undefined) lines.push(`--data-raw ${shellQuoted(JSON.stringify(call.body))}`);
    return lines.join(" \\\n  ");
  },
  node: (call, key) => {
    const fields = [
      `method: ${JSON.stringify(call.method)}`,
      `headers: ${inJavaScript(headersOf(call), "X-Api-Key", key === null ? "process.env.API_KEY" : JSON.stringify(key))}`,
    ];
    if (call.body !== undefined) fields.push(`body: JSON.stringify(${literal(call.body, JAVASCRIPT, 1)})`);
    return [
      `const answer = await fetch(${JSON.stringify(call.url)}, {`,
      ...fields.map((field) => `  ${field},`),
      "});",
      "console.log(answer.status, await answer.text());",
    ].join("\n");
  },
  python: (call, key) => {
    const headers = [
      `"X-Api-Key": ${key === null ? 'os.environ["API_KEY"]' : JSON.stringify(key)}`,
      ...headersOf(call)
        .filter(([name]) => name !== JSON_TYPE[0])
        .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
    ];
    const given = [JSON.stringify(call.method), JSON.stringify(call.url), `headers={${headers.join(", ")}}`];
    if (call.body !== undefined) given.push(`json=${literal(call.body, PYTHON, 1)}`);
    return [
      ...(key === null ? ["import os"] : []),
      "import requests",
      "",
      "answer = requests.request(",
      ...given.map((each) => `    ${each},`),
      ")",
      "print(answer.status_code, answer.text)",
    ].join("\n");
  },
  php: (call, key) => {
    const headers = [
      key === null ? '"X-Api-Key: " . getenv("API_KEY")' : phpQuoted(`X-Api-Key: ${key}`),
      ...headersOf(call).map(([name, value]) => phpQuoted(`${name}: ${value}`)),
    ];
    const options = [
      `CURLOPT_CUSTOMREQUEST => ${phpQuoted(call.method)}`,
      "CURLOPT_RETURNTRANSFER => true",
      `CURLOPT_HTTPHEADER => [${headers.join(", ")}]`,
    ];
    if (call.body !== undefined) options.push(`CURLOPT_POSTFIELDS => json_encode(${literal(call.body, PHP, 1)})`);
    return [
      "<?php",
      `$request = curl_init(${phpQuoted(call.url)});`,
      "curl_setopt_array($request, [",
      ...options.map((option) => `    ${option},`),
      "]);",
      "$answer = curl_exec($request);",
      'echo curl_getinfo($request, CURLINFO_RESPONSE_CODE), " ", $answer, "\\n";',
    ].join("\n");
  },
};

const JSON_TYPE = ["Content-Type", "application/json"] as const;

function headersOf({ headers = {}, body }: Call): (readonly [string, string])[] {
  const given = Object.entries(headers);
  const typed = given.some(([name]) => name.toLowerCase() === "content-type");
  return body === undefined || typed ? given : [JSON_TYPE, ...given];
}

/** Inside single quotes, a POSIX shell treats only the single quote as special. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function phpQuoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;
}

function inJavaScript(headers: readonly (readonly [string, string])[], name: string, value: string): string {
  const rest = headers.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  return `{ ${[`${JSON.stringify(name)}: ${value}`, ...rest].join(", ")} }`;
}

type Notation = {
  indent: string;
  text: (text: string) => string;
  word: Readonly<Record<"true" | "false" | "null", string>>;
  list: readonly [open: string, close: string];
  object: readonly [open: string, close: string];
  empty: string;
  field: (name: string, value: string) => string;
};

const JSON_WORDS = { true: "true", false: "false", null: "null" } as const;

const JAVASCRIPT: Notation = {
  indent: "  ",
  text: (text) => JSON.stringify(text),
  word: JSON_WORDS,
  list: ["[", "]"],
  object: ["{", "}"],
  empty: "{}",
  // In an object literal, a quoted `__proto__` would set the prototype, so it is written as a computed key.
  field: (name, value) => `${/^[a-z]\w*$/i.test(name) ? name : name === "__proto__" ? '["__proto__"]' : JSON.stringify(name)}: ${value}`,
};
const PYTHON: Notation = {
  indent: "    ",
  text: (text) => JSON.stringify(text),
  word: { true: "True", false: "False", null: "None" },
  list: ["[", "]"],
  object: ["{", "}"],
  empty: "{}",
  field: (name, value) => `${JSON.stringify(name)}: ${value}`,
};
const PHP: Notation = {
  indent: "    ",
  text: phpQuoted,
  word: JSON_WORDS,
  list: ["[", "]"],
  object: ["[", "]"],
  empty: "new stdClass()",
  field: (name, value) => `${phpQuoted(name)} => ${value}`,
};

function literal(value: Json, notation: Notation, depth: number): string {
  if (typeof value === "string") return notation.text(value);
  if (typeof value === "number") return String(value);
  if (typeof value === "boolean" || value === null) return notation.word[String(value) as "true" | "false" | "null"];
  const isList = Array.isArray(value);
  const items = isList
    ? (value as readonly Json[]).map((item) => literal(item, notation, depth + 1))
    : Object.entries(value).map(([name, item]) => notation.field(name, literal(item, notation, depth + 1)));
  if (items.length === 0) return isList ? "[]" : notation.empty;
  const [open, close] = isList ? notation.list : notation.object;
  const inside = notation.indent.repeat(depth + 1);
  return `${open}\n${items.map((item) => `${inside}${item},\n`).join("")}${notation.indent.repeat(depth)}${close}`;
}

export type SignedDelivery = { headers: Readonly<Record<string, string>>; body: string };

/** How long receivers accept a signature (docs/use/events.md, "Signatures"). */
export const VALID_SECONDS = 300;

export function signedCurl(target: string, { headers, body }: SignedDelivery): string {
  const lines = [
    `curl -X POST ${shellQuoted(target)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    `--data-raw ${shellQuoted(body)}`,
  ];
  return lines.join(" \\\n  ");
}

export function signedAt({ headers }: SignedDelivery): number | null {
  const seconds = Number(headers["webhook-timestamp"]);
  return Number.isFinite(seconds) ? seconds * 1_000 : null;
}
