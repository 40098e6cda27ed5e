// Download sizes of the built files, compressed like on the platform (docs/internals/dashboard.md, "Budgets").
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, it } from "vitest";

const BUILD = new URL("../../../dashboard/build.mjs", import.meta.url).href;
const ASSETS = "assets/app";
const KB = 1_000;

/** kB gzip. */
const BUDGET = { firstLoad: 130, page: 20, styles: 12, font: 35, codeFont: 19 };

let folder: string;
let files: string[];
const sizes = new Map<string, number>();

beforeAll(async () => {
  const { builtDashboard } = (await import(BUILD)) as { builtDashboard: () => Promise<string> };
  folder = await builtDashboard();
  files = readdirSync(join(folder, ASSETS));
  for (const file of files) sizes.set(file, compressed(read(file), file));
});

const read = (file: string) => readFileSync(join(folder, ASSETS, file));
const size = (names: Iterable<string>) => [...names].reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);

/** Fonts are already compressed. */
function compressed(content: Buffer, file: string): number {
  return (file.endsWith(".woff2") ? content.length : gzipSync(content, { level: 9 }).length) / KB;
}

/** The script and all its static imports. */
function closure(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, name = ""] of read(file)
    .toString()
    .matchAll(/(?:\bfrom|\bimport)\s*["']\.\/([^"']+\.js)["']/g))
    closure(name, seen);
  return seen;
}

function entry(): string {
  const page = readFileSync(join(folder, "index.html"), "utf8");
  return /<script type="module"[^>]* src="\/assets\/app\/([^"]+)"/.exec(page)?.[1] ?? "no script in index.html";
}

/** For every lazily loaded script, its size beyond the first load. */
function pages(): { file: string; kB: number }[] {
  const first = closure(entry());
  const dynamic = new Set(
    files
      .filter((file) => file.endsWith(".js"))
      .flatMap((file) =>
        [
          ...read(file)
            .toString()
            .matchAll(/\bimport\(\s*[`"']\.\/([^`"']+\.js)[`"']\s*\)/g),
        ].map(([, name = ""]) => name),
      ),
  );
  return [...dynamic].map((file) => ({ file, kB: size(new Set([...closure(file)].filter((name) => !first.has(name)))) }));
}

it("the dashboard loads at most 130 kB of scripts before the first page", () => {
  const first = size(closure(entry()));
  console.info(`first load: ${first.toFixed(1)} kB of scripts`);
  expect(first).toBeGreaterThan(50);
  expect(first).toBeLessThanOrEqual(BUDGET.firstLoad);
});

it("the dashboard loads at most 20 kB of scripts for each page", () => {
  const measured = pages().toSorted((a, b) => b.kB - a.kB);
  console.info(
    `largest pages: ${measured
      .slice(0, 8)
      .map(({ file, kB }) => `${file} ${kB.toFixed(1)}`)
      .join(", ")}`,
  );
  expect(measured.length).toBeGreaterThan(15);
  expect(measured.filter(({ kB }) => kB > BUDGET.page)).toEqual([]);
});

it("the page names the files that the first script requests: each language's words and the list", () => {
  const page = readFileSync(join(folder, "index.html"), "utf8");
  const early = JSON.parse(/ data-early='([^']+)'/.exec(page)?.[1] ?? "{}") as Record<string, string[]>;
  const named = Object.values(early).flat();
  expect(Object.keys(early).toSorted()).toEqual(["en", "list", "pt"]);
  expect(named.map((name) => name.replace(/-.{8}\.js$/, ""))).toEqual(
    ["texts-pt", "failures", "texts-en", "failures", "connections", "people", "widgets", "lists"].map((name) => `/${ASSETS}/${name}`),
  );
  const first = closure(entry());
  const list = early["list"]?.map((name) => name.slice(ASSETS.length + 2)) ?? [];
  const needed = [...closure(list[0] ?? "")].filter((file) => !first.has(file));
  expect(needed.toSorted()).toEqual(list.toSorted());
});

it("the manifest has the icons that phones need to install the dashboard, in their true sizes", () => {
  const manifest = JSON.parse(readFileSync(join(folder, "manifest.webmanifest"), "utf8")) as Record<"icons", Record<string, string>[]>;
  const drawn = manifest.icons.filter(({ type }) => type === "image/png");
  // Width and height are the first fields of a PNG's first chunk.
  const sizes = drawn
    .map(({ src = "" }) => readFileSync(join(folder, src)))
    .map((png) => `${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`);
  expect(sizes).toEqual(drawn.map((icon) => icon["sizes"]));
  expect(sizes).toEqual(expect.arrayContaining(["192x192", "512x512"]));
  expect(drawn.map((icon) => icon["purpose"])).toContain("maskable");
});

it("the dashboard has at most 12 kB of styles", () => {
  const styles = size(files.filter((file) => file.endsWith(".css")));
  console.info(`styles: ${styles.toFixed(1)} kB`);
  expect(styles).toBeLessThanOrEqual(BUDGET.styles);
});

it("the dashboard has one font for text and one for code, within their sizes", () => {
  // Other subsets load only for texts that need their characters.
  const latin = files.filter((file) => file.includes("-latin-wght-"));
  const code = latin.filter((file) => file.includes("mono"));
  // With a second file for some digits, they would look different from the others until both have arrived.
  const text = files.filter(
    (file) => file.endsWith(".woff2") && !code.includes(file) && !/-(latin-ext|cyrillic|greek|vietnamese)/.test(file),
  );
  expect(text.map((file) => file.replace(/-.{8}\.woff2$/, ""))).toEqual(["atkinson-plain-zero-latin-wght-normal"]);
  expect(size(text)).toBeLessThanOrEqual(BUDGET.font);
  expect(size(code)).toBeLessThanOrEqual(BUDGET.codeFont);
});

it("the dashboard has no script of the server: neither zod nor hono, nor a simulated phone", () => {
  const text = files
    .filter((file) => file.endsWith(".js"))
    .map((file) => read(file).toString())
    .join("\n");
  expect(["ZodError", "invalid_union", "honojs", "DurableObject"].filter((trace) => text.includes(trace))).toEqual([]);
});
