// Every element of both documents has a description in each language.
import { describe, expect, it } from "vitest";
import { accountDocument } from "#root/src/api/docs/account/document.ts";
import { FAMILIES } from "#root/src/api/account/routes.ts";
import type { Language } from "#root/src/http/openapi/text.ts";
import { connectionDocument } from "#root/src/api/docs/connection/document.ts";

type Node = Readonly<Record<string, unknown>>;

const APIS = {
  connection: (language: Language) => connectionDocument("https://app.example.com", language) as unknown as Node,
  account: (language: Language) => accountDocument("https://api.example.com", FAMILIES, language) as unknown as Node,
};
const DOCUMENTS = Object.entries(APIS).flatMap(([api, documentIn]) =>
  (["en", "pt"] as const).map((language) => ({ api, language, document: documentIn(language) })),
);

/** Data and negations, which need no description. */
const SKIPPED: ReadonlySet<string> = new Set(["example", "examples", "default", "enum", "const", "x-example-answer", "not"]);
/** Element type of the entries in an object with this name. */
const ENTRIES: Readonly<Record<string, string>> = { properties: "property", headers: "header", responses: "response" };

/** Paths of elements without a description or a reference to a described element. */
function undescribed(node: Node, path: string): string[] {
  return Object.entries(node).flatMap(([name, value]): string[] => {
    if (SKIPPED.has(name) || typeof value !== "object" || value === null) return [];
    const here = `${path}/${name}`;
    const described = name === "parameters" || name === "tags" || ENTRIES[name] !== undefined ? Object.entries(value as Node) : [];
    const silent = described
      .filter(([, item]) => typeof item === "object" && !isDescribed(item as Node))
      .map(([item]) => `${here}/${item}`);
    const deeper = Array.isArray(value) ? Object.assign({}, value) : (value as Node);
    // Names in these objects are chosen by the API, so a property may be called `example`.
    const inner =
      ENTRIES[name] === undefined
        ? undescribed(deeper as Node, here)
        : Object.entries(deeper as Node).flatMap(([item, each]) => undescribed(each as Node, `${here}/${item}`));
    return [...silent, ...inner];
  });
}

function isDescribed({ description, $ref }: Node): boolean {
  return $ref !== undefined || (typeof description === "string" && description !== "");
}

describe.each(DOCUMENTS)("the $api document in $language", ({ document }) => {
  it("describes every property, parameter, header, answer and tag", () => {
    expect(undescribed(document, "")).toEqual([]);
  });

  it("says what every operation does", () => {
    const items = Object.values({ ...(document["paths"] as Node), ...(document["webhooks"] as Node) });
    const operations = items.flatMap((item) =>
      Object.values(item as Record<string, { operationId: string; summary?: string; description?: string }>),
    );
    expect(
      operations.filter(({ summary = "", description = "" }) => summary === "" || description === "").map(({ operationId }) => operationId),
    ).toEqual([]);
  });
});

const PROSE: ReadonlySet<string> = new Set(["summary", "description", "title", "x-displayName"]);
/** Texts that are the same in both languages. */
const ALIKE: ReadonlySet<string> = new Set(["Status", "Pixels", "Webhooks"]);

/** Paths of English texts in the Portuguese document, and of any other difference. */
function untranslated(english: unknown, portuguese: unknown, path: string): string[] {
  if (typeof english !== "object" || english === null) return english === portuguese ? [] : [path];
  if (Object.keys(english).join() !== Object.keys((portuguese ?? {}) as object).join()) return [path];
  return Object.entries(english).flatMap(([name, value]): string[] => {
    const other = (portuguese as Node)[name];
    if (SKIPPED.has(name) && !path.endsWith("/responses"))
      return JSON.stringify(value) === JSON.stringify(other) ? [] : [`${path}/${name}`];
    if (!PROSE.has(name) || typeof value !== "string") return untranslated(value, other, `${path}/${name}`);
    // Webhooks are named by their event's type.
    return value !== other || ALIKE.has(value) || path === `/webhooks/${value}/post` ? [] : [`${path}/${name}: ${value}`];
  });
}

it.each(Object.entries(APIS))("the %s documents differ in their texts alone, and in all of them", (_, documentIn) => {
  const [{ info: english, ...inEnglish }, { info: portuguese, ...inPortuguese }] = [documentIn("en"), documentIn("pt")];
  expect(untranslated(inEnglish, inPortuguese, "")).toEqual([]);
  expect([english, portuguese]).toMatchObject([{ "x-language": "en" }, { "x-language": "pt-BR" }]);
});
