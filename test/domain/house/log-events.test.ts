// An operator finds every event of the log on the page, and nothing there that is never logged.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const sourcesOf = (folders: string): string =>
  globSync(`${folders}/**/*.ts`, { cwd: ROOT, exclude: (name) => name.includes("node_modules") })
    .map((name) => readFileSync(join(ROOT, name), "utf8"))
    .join("\n");

const named = (found: Iterable<RegExpMatchArray>): string[] => [...new Set([...found].map(([, name = ""]) => name))].toSorted();

/** What each part logs: `log("event", …)` in the worker and its objects, `logger.warn(…, "event")` in the bridge. */
const LOGGED = {
  "Of the worker and its objects": named(sourcesOf("{src,durable-objects}").matchAll(/\b(?:log|formatLogLine)\(\s*"([^"]+)"/g)),
  "Of a session bridge": named(
    sourcesOf("session-bridge").matchAll(
      /\.(?:trace|debug|info|warn|error|fatal)\((?:(?:(?!\.(?:debug|info|warn|error)\()[^;])*?,)?\s*"([a-z_]+\.[a-z_]+)"\s*\)/g,
    ),
  ),
};
const page = readFileSync(join(ROOT, "docs/operations.md"), "utf8");

describe.each(Object.entries(LOGGED))("the events %s", (heading, logged) => {
  const section = page.split(`### ${heading}\n`)[1]?.split(/^#/m)[0] ?? "";
  const rows = [...section.matchAll(/^\| (`.*?`) \|/gm)].map(([, names = ""]) => names).join(" ");

  it("are the ones of docs/operations.md", () => {
    expect(logged.length).toBeGreaterThan(30);
    expect(named(rows.matchAll(/`([^`]+)`/g))).toEqual(logged);
  });
});
