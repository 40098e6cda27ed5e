import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("webhooks of Meta are compared by the platform alone, in constant time", () => {
  const source = readFileSync(new URL("../../../durable-objects/connection/cloud/signature.ts", import.meta.url), "utf8");
  const code = source.replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, "");
  expect(code.match(/crypto\.subtle\.verify\(/g)).toHaveLength(1);
  // The remaining comparisons only test whether a header or text exists.
  expect([...code.matchAll(/[!=]==? ?(?<with>[^\s;)]+)/g)].map(({ groups }) => groups?.["with"])).toEqual(["null", "undefined", "null"]);
  expect(code).not.toMatch(/timingSafeEqual|localeCompare|\.equals\(|startsWith|includes/);
});
