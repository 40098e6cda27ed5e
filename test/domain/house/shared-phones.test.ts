// Journeys share sandboxes in a varying order, so a number created by two of them would belong to the first one.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** How a journey borrows a sandbox: itself, for a dashboard without flags, or for a Cloud API number. */
const BORROWS = /\bborrowSandbox\b|\buseDashboard\(\)|\bopenCloudStore\b/;
/** The demo contact, and a number that no test creates. */
const NOT_CREATED = new Set(["5511900000002", "5511900009999"]);

it("each phone number belongs to only one of the journeys that share sandboxes", () => {
  const files = execFileSync("git", ["ls-files", "test/journey"], { cwd: ROOT, encoding: "utf8" }).split("\n");
  const texts = files.filter((file) => file.endsWith(".ts")).map((file) => [file, readFileSync(join(ROOT, file), "utf8")] as const);
  const numbers = texts
    .filter(([, text]) => BORROWS.test(text))
    .flatMap(([file, text]) => [...new Set(text.match(/\b55\d{10,11}\b/g))].map((number) => ({ number, file })))
    .filter(({ number }) => !NOT_CREATED.has(number));
  expect(numbers.length).toBeGreaterThan(10);
  const shared = [...Map.groupBy(numbers, ({ number }) => number).values()].filter((uses) => uses.length > 1);
  expect(shared).toEqual([]);
});
