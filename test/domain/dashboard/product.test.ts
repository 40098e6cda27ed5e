// Static files repeat the product's name, because no code runs before them.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { PRODUCT } from "@gateway/domain/product.ts";

const read = (file: string) => readFileSync(new URL(`../../../dashboard/${file}`, import.meta.url), "utf8");

it("the first page and the manifest have the product's name", () => {
  expect(read("index.html")).toContain(`<title>${PRODUCT.name}</title>`);
  expect(JSON.parse(read("public/manifest.webmanifest"))).toMatchObject({ name: PRODUCT.name });
});
