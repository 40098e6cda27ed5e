// The simulated phones page belongs to the local network: no deployment contains any of it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, it } from "vitest";

const BUILD = new URL("../../../dashboard/build.mjs", import.meta.url).href;
const ASSETS = new URL("../../../tools/build-assets.mjs", import.meta.url).href;
/** Files deployed by wrangler. */
const DEPLOYED = fileURLToPath(new URL("../../../dist/assets", import.meta.url));

/** One string that occurs only in each kind of file that makes up the page. */
const MARKS = ["Celulares simulados", "Simulated phones", "/phones/", "--phone-own:"];

let page: Map<string, string>;
let deployed: Map<string, string>;

beforeAll(async () => {
  const { builtPhones } = (await import(BUILD)) as { builtPhones: () => Promise<string> };
  const { buildAssets } = (await import(ASSETS)) as { buildAssets: () => Promise<void> };
  page = textsIn(await builtPhones());
  await buildAssets();
  deployed = textsIn(DEPLOYED);
});

/** Scripts, styles and documents in a folder. */
function textsIn(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => /\.(js|css|html)$/.test(file));
  return new Map(files.map((file) => [file, readFileSync(join(folder, file), "utf8")]));
}

const holding = (files: Map<string, string>, mark: string) => [...files].filter(([, text]) => text.includes(mark)).map(([file]) => file);

it.each(MARKS)("%s is part of the simulated phones' page and of no deployed file", (mark) => {
  expect(holding(page, mark)).not.toEqual([]);
  expect(holding(deployed, mark)).toEqual([]);
});

it("no script of the simulated phones' page is deployed, and the dashboard's own are", () => {
  const scripts = [...page.keys()].filter((file) => file.startsWith("assets/"));
  expect(scripts.filter((file) => deployed.has(file))).toEqual([]);
  expect([...deployed.keys()].some((file) => file.startsWith("assets/app/"))).toBe(true);
});
