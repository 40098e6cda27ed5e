import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { digestOf, isCurrent } from "#root/server/runtime/prepared-worker.ts";

let root: string;
let sources: Record<string, string>;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "prepared-"));
  writeFileSync(join(root, "worker.ts"), "export {};");
  sources = Object.fromEntries(["worker.ts", ".dev.vars"].map((path) => [path, digestOf(join(root, path))]));
});
afterEach(() => rmSync(root, { recursive: true }));

it("a prepared worker is used again while its sources are the same", () => {
  expect(isCurrent({ root, sources }, root)).toBe(true);
});

it.each([
  ["a source changed", "worker.ts"],
  ["a settings file appeared", ".dev.vars"],
])("a worker is prepared anew when %s", (_, path) => {
  writeFileSync(join(root, path), "export const changed = true;");
  expect(isCurrent({ root, sources }, root)).toBe(false);
});

it("a worker is prepared anew when a source was deleted", () => {
  rmSync(join(root, "worker.ts"));
  expect(isCurrent({ root, sources }, root)).toBe(false);
});

it("a worker is prepared anew in a copy of the repository", () => {
  expect(isCurrent({ root: "/elsewhere", sources }, root)).toBe(false);
});
