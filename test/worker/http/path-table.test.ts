import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { ROUTES } from "#root/src/api/connection/routes.ts";
import { rowsByPath } from "#root/src/http/path-pattern.ts";
import { PathTable } from "#root/src/http/path-table.ts";

function tableOf(...patterns: string[]): PathTable<string> {
  const table = new PathTable<string>();
  for (const pattern of patterns) table.add(pattern, pattern);
  return table;
}

describe("a path among patterns", () => {
  const table = tableOf("/groups/{groupId}", "/groups/join", "/groups/join/{code}/now", "/groups/{groupId}/{part}", "/{family}/all/now");

  it.each([
    ["/groups/join", "/groups/join", {}],
    ["/groups/other", "/groups/{groupId}", { groupId: "other" }],
    ["/groups/join/x", "/groups/{groupId}/{part}", { groupId: "join", part: "x" }],
    ["/groups/join/x/now", "/groups/join/{code}/now", { code: "x" }],
    ["/groups/all/now", "/groups/{groupId}/{part}", { groupId: "all", part: "now" }],
    ["/chats/all/now", "/{family}/all/now", { family: "chats" }],
  ])("matches the most literal pattern: %s matches %s", (path, value, params) => {
    expect(table.find(path)).toEqual({ value, params });
  });

  it.each(["", "/", "/groups", "/groups/", "/groups/join/", "/groups//x", "groups/join", "/groups/join/x/then", "/GROUPS/join"])(
    "matches no pattern: '%s'",
    (path) => {
      expect(table.find(path)).toBeNull();
    },
  );

  it("matches one pattern only: two patterns for the same paths are an error", () => {
    expect(() => tableOf("/groups/{groupId}", "/groups/{id}")).toThrow("two patterns for the same paths");
  });
});

describe("the table of an API's routes", () => {
  /** Every path with parameter values, and near misses: other routes' literals as values, one segment more, one less, one empty. */
  const words = [...new Set(ROUTES.flatMap(({ path }) => path.split("/").filter((segment) => !segment.startsWith("{"))))];
  const paths = ROUTES.flatMap(({ path }, at) => {
    const filled = (value: string) => path.replaceAll(/\{\w+\}/g, value);
    const plain = filled("5511900000001@c.us");
    const literal = filled(words[at % words.length] ?? "");
    return [
      plain,
      literal,
      filled("%41%2F"),
      `${plain}/`,
      `${plain}/more`,
      plain.slice(0, plain.lastIndexOf("/")),
      plain.replace("/", "//"),
    ];
  });

  it("finds what Hono finds when it tries every pattern, literal ones first", async () => {
    const [table, hono] = [new PathTable<string>(), new Hono()];
    for (const { path } of rowsByPath(ROUTES)) {
      table.add(path, path);
      hono.all(path.replaceAll(/\{(\w+)\}/g, ":$1"), (c) => c.json({ value: path, params: c.req.param() }));
    }
    hono.notFound((c) => c.json(null));
    // Each API decodes its own path parameters, so encoded paths are skipped here.
    const written = paths.filter((path) => !path.includes("%"));
    const found = written.map((path) => [path, table.find(path)]);
    const wanted = await Promise.all(written.map(async (path) => [path, await (await hono.request(`http://x${path}`)).json()]));
    expect(found).toEqual(wanted);
    expect(found.filter(([, each]) => each !== null).length).toBeGreaterThan(ROUTES.length);
    expect(found.filter(([, each]) => each === null).length).toBeGreaterThan(100);
  });
});
