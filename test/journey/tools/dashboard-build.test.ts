// The dashboard is built once per state of its sources.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const COPIED = [
  "dashboard",
  "src/api/dashboard/contract",
  "src/domain",
  "src/protocol",
  "src/guides/snippets/connection",
  "package-lock.json",
  "tsconfig.base.json",
];

let copy: string;
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "gateway-dashboard-"));
  const isOwn = (file: string) => !/\/(dist|node_modules|planted-\w+)(\/|$)/.test(file.slice(ROOT.length - 1));
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true, filter: isOwn });
  for (const name of ["node_modules", "dashboard/node_modules"]) symlinkSync(join(ROOT, name), join(copy, name));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** The finished build's folder, below the copy. */
const build = () => execFileSync(process.execPath, [join(copy, "dashboard/build.mjs")], { encoding: "utf8", stdio: "pipe" }).trim();
const scripts = (folder: string) => {
  const files = readdirSync(join(copy, folder, "assets/app")).filter((file) => file.endsWith(".js"));
  return files.map((file) => readFileSync(join(copy, folder, "assets/app", file), "utf8")).join("\n");
};

it("the dashboard is built again when a source has changed, and not otherwise", () => {
  const first = build();
  const { mtimeMs } = statSync(join(copy, first, "index.html"));
  expect([build(), statSync(join(copy, first, "index.html")).mtimeMs]).toEqual([first, mtimeMs]);

  // Mimics the domain tests, which temporarily add files to the source tree while other tests build.
  mkdirSync(join(copy, "dashboard/src/planted-a"));
  writeFileSync(join(copy, "dashboard/src/planted-a/wrong.ts"), 'import "./nowhere.ts";\n');
  expect(build()).toBe(first);

  const page = join(copy, "dashboard/src/main.tsx");
  writeFileSync(page, `${readFileSync(page, "utf8")}\ndocument.documentElement.dataset["planted"] = "a changed source";\n`);
  const second = build();
  expect(second).not.toBe(first);
  expect(scripts(second)).toContain("a changed source");
  // Nothing remains of the previous build.
  expect(readdirSync(join(copy, "dashboard/dist"))).toHaveLength(1);
});

it("the build says why when it fails", () => {
  const page = join(copy, "dashboard/src/main.tsx");
  writeFileSync(page, 'import "./nowhere.ts";\n');
  expect(build).toThrow(/nowhere\.ts/);
});
