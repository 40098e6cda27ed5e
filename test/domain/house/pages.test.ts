// The project's own pages: everything cited in comments or named on pages exists.
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { slugOf } from "#root/src/docs/markdown.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** Folders to skip, including those temporarily created by another test. */
const IGNORED = /(^|\/)(node_modules|dist|coverage|migrations|test-results|planted-\w+|\.[\w-]+)(\/|$)/;

const files = (pattern: string): string[] =>
  globSync(pattern, { cwd: ROOT, exclude: (name) => IGNORED.test(name) })
    .filter((name) => !IGNORED.test(name))
    .toSorted();
const read = (name: string): string => readFileSync(join(ROOT, name), "utf8");

const SOURCES = files("**/*.{ts,tsx,mjs,toml}");
/** The guides are for customers and mention other gateways' paths. */
const PAGES = files("**/*.md").filter((name) => !name.startsWith("src/guides/"));
const scriptsOf = (folder: string) =>
  (JSON.parse(read(join(folder, "package.json"))) as { scripts?: Record<string, string> }).scripts ?? {};

function headingsOf(page: string): readonly string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading);
}

/** Only comments, each joined into one line, because a citation may span lines. */
function commentsOf(source: string): string[] {
  const lines = source
    .split("\n")
    .map((line) => /^\s*(?:\/\/+|\/\*\*?|\*|#)(?:\s(.*))?$/.exec(line) ?? /\s(?:\/\/|\/\*\*) (.*)$/.exec(line));
  const comments: string[] = [];
  let current = "";
  for (const found of lines) {
    if (found !== null) current += ` ${found[1] ?? ""}`;
    else if (current !== "") {
      comments.push(current);
      current = "";
    }
  }
  return current === "" ? comments : [...comments, current];
}

/** Every citation needs an existing page. One of `docs` also needs a heading. The path is relative to the source's folder or to the root. */
function problemsOf(source: string, folder: string): string[] {
  return commentsOf(source).flatMap((comment) =>
    [...comment.matchAll(/(?<![\w./-])([\w/-]+\.md)\b`?(?:, "([^"]+)")?/g)].flatMap(([citation, path = "", heading]) => {
      const page = [folder, "."].map((base) => join(ROOT, base, path)).find((name) => existsSync(name));
      if (page === undefined) return [`${citation}: no such page`];
      if (heading === undefined) return path.startsWith("docs/") ? [`${citation}: which heading?`] : [];
      return headingsOf(readFileSync(page, "utf8")).includes(heading) ? [] : [`${citation}: no such heading`];
    }),
  );
}

/** Pages name its files by their path inside this folder. */
const DRIVER = "session-bridge/networks/baileys";

/** Texts in backticks with a slash that are not paths. */
const NO_PATH = /^(application|audio|image|text|video)\/|^(connected|connecting|disconnected|failed|scan_qr)\//;

/**
 * Paths on a page that do not exist relative to the repository root, to any folder below the page's, or to the driver's. `<family>` in a
 * path matches any name.
 */
function missingPaths(page: string, folder: string): string[] {
  const quoted = [...page.matchAll(/`([\w@.<>-]+(?:\/[\w@.<>-]+)*\/?)`/g)].map(([, token = ""]) => token);
  const named = quoted.filter((token) => (token.includes("/") ? !NO_PATH.test(token) : /\.(ts|mjs|md|toml|json|yml)$/.test(token)));
  const lost = [...new Set(named)].filter((token) => ![".", folder, DRIVER].some((base) => existsSync(join(ROOT, base, token))));
  if (lost.length === 0) return lost;
  const below = files(folder === "." ? "**/*" : `${folder}/**/*`).map((name) => `/${name}/`);
  return lost.filter((token) => {
    const [start = "", ...rest] = `/${token.replace(/\/$/, "")}/`.replaceAll(".", "\\.").split(/<\w+>/);
    const path = new RegExp([start, ...rest].join("[\\w.-]+"));
    return !below.some((name) => path.test(name));
  });
}

/** `npm run NAME`, `npm run NAME -w WORKSPACE`. */
function unknownScripts(page: string): string[] {
  const named = [...page.matchAll(/npm run ([\w:-]+)(?: -w ([\w-]+))?/g)];
  const unknown = named.filter(([, name = "", workspace = "."]) => !Object.hasOwn(scriptsOf(workspace), name));
  return [...new Set(unknown.map(([, name = ""]) => name))];
}

/** Headings cited after a page in backticks that the page does not have. */
function unknownHeadings(page: string): string[] {
  const cited = [...page.matchAll(/`([\w./-]+\.md)`,\s+"([^"]+)"/g)].map(([, path = "", heading = ""]) => ({
    path,
    heading: heading.replaceAll(/\s+/g, " "),
  }));
  return cited
    .filter(({ path, heading }) => existsSync(join(ROOT, path)) && !headingsOf(read(path)).includes(heading))
    .map(({ path, heading }) => `${path}, "${heading}"`);
}

/** Links to files or headings of this repository that do not exist. `folder` is the page's, because links are relative to it. */
function brokenLinks(page: string, folder: string): string[] {
  const links = [...page.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
  const broken = links.filter(([, path = "", slug]) => {
    const target = join(ROOT, folder, path);
    if (!existsSync(target)) return true;
    return slug !== undefined && !headingsOf(readFileSync(target, "utf8")).map(slugOf).includes(slug);
  });
  return broken.map(([link]) => link.slice(2, -1));
}

/** Inserted into the samples below, so this file itself contains no such citations. */
const [DELIVERY, NOWHERE, README] = ["docs/internals/delivery.md", "docs/use/nowhere.md", "README.md"];

describe("comments", () => {
  it("cite pages and headings that exist", () => {
    const problems = SOURCES.flatMap((name) => problemsOf(read(name), dirname(name)).map((problem) => `${name}: ${problem}`));
    expect(problems).toEqual([]);
  });

  it.each([
    ["a page that is not there", `// Why (${NOWHERE}, "Words").`, "no such page"],
    ["a heading that is not there", `/** Why (${DELIVERY}, "Nowhere"). */`, "no such heading"],
    ["a page without a heading", `# See ${DELIVERY}`, "which heading?"],
    ["a heading over the end of a line", `  // Why (${DELIVERY},\n  // "Nowhere").`, "no such heading"],
    ["a heading that a folder's README does not have", `const a = 1; // \`test-network/${README}\`, "Nowhere"`, "no such heading"],
  ])("are refused if they cite %s", (_, comment, problem) => {
    expect(problemsOf(comment, "test-network")).toEqual([expect.stringContaining(problem)]);
  });

  it("are accepted if they cite a heading, over the end of a line too", () => {
    expect(problemsOf(`// Why (${DELIVERY},\n// "Delivery queues").`, ".")).toEqual([]);
    expect(problemsOf(`// Why (${README}, "Strict and lenient").`, "test-network")).toEqual([]);
  });
});

describe("pages", () => {
  it.each(PAGES)("name paths, scripts and headings that exist: %s", (name) => {
    const page = read(name);
    const found = { paths: missingPaths(page, dirname(name)), scripts: unknownScripts(page), headings: unknownHeadings(page) };
    expect(found).toEqual({ paths: [], scripts: [], headings: [] });
  });

  it.each(PAGES)("have no broken link: %s", (name) => {
    expect(brokenLinks(read(name), dirname(name))).toEqual([]);
  });

  it("are refused if a link leads nowhere", () => {
    const page = "[a](use/first-steps.md), [b](use/first-steps.md#a-second-number), [c](use/nowhere.md), [d](use/first-steps.md#nowhere)";
    expect(brokenLinks(`${page}, [e](https://example.com/nowhere.md)`, "docs")).toEqual(["use/nowhere.md", "use/first-steps.md#nowhere"]);
  });

  it.each(["use", "operate"])("are all listed for docs/%s", (folder) => {
    const [list, ...pages] = files(`docs/${folder}/*.md`).map((name) => basename(name));
    const linked = [...read(`docs/${folder}/${list}`).matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, name = ""]) => name);
    expect([list, linked.toSorted()]).toEqual(["README.md", pages]);
  });

  it("are refused if they name something that does not exist", () => {
    const page =
      "`src/nowhere/file.ts`, `nowhere.ts`, `src/worker.ts`, `src/services/<entity>/find.ts`, `src/<entity>/find.ts`, `image/png`";
    expect(missingPaths(page, ".")).toEqual(["src/nowhere/file.ts", "nowhere.ts", "src/<entity>/find.ts"]);
    expect(unknownScripts("`npm run nothing`, npm run types, `npm run dev`, `npm run dev -w dashboard`")).toEqual(["nothing", "dev"]);
    expect(unknownHeadings(`\`README.md\`, "Limits", and \`${DELIVERY}\`,\n"Attempts" or \`${DELIVERY}\`, "Nowhere"`)).toEqual([
      `${DELIVERY}, "Nowhere"`,
    ]);
  });
});
