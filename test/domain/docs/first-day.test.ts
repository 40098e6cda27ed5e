// Each row of the first-day page has a command and an expected response; each command calls a documented route with valid fields.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const read = (name: string) => readFileSync(fileURLToPath(new URL(`../../../${name}`, import.meta.url)), "utf8");
const page = read("docs/operate/first-day.md");

type Schema = { $ref?: string; properties?: Record<string, unknown>; required?: string[] };
type Operation = { requestBody?: { content: Record<string, { schema: Schema }> } };
type Document = { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, Schema> } };

/** The page's two shell functions. */
const APIS: Readonly<Record<string, { document: Document; prefix: string }>> = {
  v1: { document: JSON.parse(read("docs/openapi/connection.json")) as Document, prefix: "/api/v1" },
  api: { document: JSON.parse(read("docs/openapi/account.json")) as Document, prefix: "/api" },
};

type Row = { heading: string; cells: Record<string, string> };

function rowsOf(text: string): Row[] {
  return text.split(/^## /m).flatMap((section) => {
    const lines = section.split("\n").filter((line) => line.startsWith("|"));
    const [header = [], , ...rows] = lines.map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
    const heading = section.split("\n")[0] ?? "";
    return rows.map((cells) => ({ heading, cells: Object.fromEntries(cells.map((cell, at) => [header[at] ?? `column ${at}`, cell])) }));
  });
}

/** Rows with an action; rows of the first week only read a count. */
const acts = rowsOf(page).filter(({ cells }) => "do" in cells);

type Call = { text: string; api: string; method: string; path: string; body: string | null };

function callsOf(text: string): Call[] {
  const calls = text.matchAll(/\b(v1|api) (GET|POST|PUT|PATCH|DELETE) "?(\/[^\s"`;?]+)[^\s"`;]*"?(?: '([^']*)'| "((?:\\"|[^"])*)")?/g);
  return [...calls].map(([whole, api = "", method = "", path = "", plain, quoted]) => ({
    text: whole,
    api,
    method: method.toLowerCase(),
    path,
    body: plain ?? quoted?.replaceAll('\\"', '"') ?? null,
  }));
}

function problemOf({ text, api, method, path, body }: Call): string | null {
  const { document, prefix } = APIS[api] as (typeof APIS)[string];
  const fits = (known: string) => new RegExp(`^${known.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(`${prefix}${path}`);
  const operation = Object.entries(document.paths).find(([known, methods]) => fits(known) && method in methods)?.[1][method];
  if (operation === undefined) return `${text}: no such route`;
  const schema = operation.requestBody?.content["application/json"]?.schema ?? {};
  const { properties = {}, required = [] } =
    schema.$ref === undefined ? schema : (document.components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {});
  if (body === null) return null;
  const fields = Object.keys(JSON.parse(body) as object);
  const wrong = [...fields.filter((field) => !(field in properties)), ...required.filter((field) => !fields.includes(field))];
  return wrong.length === 0 ? null : `${text}: ${wrong.join(", ")}`;
}

describe("the first day", () => {
  it("has a command and an expected answer in each line", () => {
    expect(acts.length).toBeGreaterThan(35);
    const isEmpty = (cell: string | undefined) => cell === undefined || cell === "";
    const bare = acts.filter(
      ({ cells }) => isEmpty(cells["command"]) || isEmpty(cells["expected"] ?? cells["you also see"]) || isEmpty(cells["log"] ?? "none"),
    );
    expect(bare).toEqual([]);
    expect(acts.filter(({ cells }) => !cells["command"]?.includes("`") && !cells["command"]?.startsWith("the same"))).toEqual([]);
  });

  it("calls documented routes with fields that they have", () => {
    const calls = callsOf(page);
    expect(calls.length).toBeGreaterThan(30);
    expect(calls.filter(({ body }) => body !== null).length).toBeGreaterThan(10);
    expect(calls.map(problemOf).filter((problem) => problem !== null)).toEqual([]);
  });

  it("would notice a route or a field that is gone", () => {
    const problems = callsOf(
      `v1 GET "/nowhere?limit=1"; api POST /webhooks '{"urls":"x"}'; v1 POST /messages/text "{\\"to\\":\\"$F\\",\\"text\\":\\"x\\"}"`,
    ).map(problemOf);
    expect(problems).toEqual(['v1 GET "/nowhere?limit=1": no such route', `api POST /webhooks '{"urls":"x"}': urls, url, events`, null]);
  });
});
