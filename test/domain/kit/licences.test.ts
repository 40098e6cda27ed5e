// The folders in `packages` have the MIT licence, which requires its text in every copy.
import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

const read = (path: string) => readFileSync(path, "utf8");
const MIT = read("packages/LICENSE");

it("every package names the MIT licence", () => {
  const manifests = globSync("packages/*/package.json");
  expect(manifests.length).toBeGreaterThan(3);
  for (const path of manifests) expect([path, (JSON.parse(read(path)) as { license: string }).license]).toEqual([path, "MIT"]);
  expect(read("packages/python/pyproject.toml")).toContain('license = { text = "MIT" }');
});

it.each(["n8n", "python"])("packages/%s contains the licence's text, as it is packed in its folder", (name) => {
  expect(read(`packages/${name}/LICENSE`)).toBe(MIT);
});

it("the built command contains the licence's text, and that of the library it bundles", () => {
  const folder = mkdtempSync(join(tmpdir(), "licence-"));
  execFileSync(process.execPath, ["packages/cli/build.mjs", folder]);
  const text = read(join(folder, "LICENSE"));
  rmSync(folder, { recursive: true });
  expect(text).toBe(`${MIT}\nThis package contains uqr:\n\n${read("node_modules/uqr/LICENSE")}`);
});
