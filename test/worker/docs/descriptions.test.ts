// Whatever an integrator meets in a document is described, in both languages.
import { describe, expect, it } from "vitest";
import { accountDocument } from "#root/src/api/docs/account/document.ts";
import { FAMILIES } from "#root/src/api/account/routes.ts";
import { connectionDocument } from "#root/src/api/docs/connection/document.ts";

type Node = Readonly<Record<string, unknown>>;

const LANGUAGES = ["en", "pt"] as const;
const DOCUMENTS = LANGUAGES.flatMap((language) => [
  { api: "connection", language, document: connectionDocument("https://app.example.com", language) as unknown as Node },
  { api: "account", language, document: accountDocument("https://api.example.com", FAMILIES, language) as unknown as Node },
]);

/** Data and negations, in which nothing is described. */
const SKIPPED: ReadonlySet<string> = new Set(["example", "examples", "default", "enum", "const", "x-example-answer", "not"]);
/** What each entry of such an object is. */
const ENTRIES: Readonly<Record<string, string>> = { properties: "property", headers: "header", responses: "response" };

/** Paths of what has no description and refers to nothing that has one. */
function undescribed(node: Node, path: string): string[] {
  return Object.entries(node).flatMap(([name, value]): string[] => {
    if (SKIPPED.has(name) || typeof value !== "object" || value === null) return [];
    const here = `${path}/${name}`;
    const described = name === "parameters" || name === "tags" || ENTRIES[name] !== undefined ? Object.entries(value as Node) : [];
    const silent = described
      .filter(([, item]) => typeof item === "object" && !isDescribed(item as Node))
      .map(([item]) => `${here}/${item}`);
    const deeper = Array.isArray(value) ? Object.assign({}, value) : (value as Node);
    // The names in these objects are the API's own: a property may be called `example`.
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

  it("says of every operation what it does", () => {
    const items = Object.values({ ...(document["paths"] as Node), ...(document["webhooks"] as Node) });
    const operations = items.flatMap((item) =>
      Object.values(item as Record<string, { operationId: string; summary?: string; description?: string }>),
    );
    expect(
      operations.filter(({ summary = "", description = "" }) => summary === "" || description === "").map(({ operationId }) => operationId),
    ).toEqual([]);
  });
});
