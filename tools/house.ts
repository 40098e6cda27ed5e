// `npm run house` measures how easy this repository is to take over: comments, small files, imports, lines, documentation pages. It reads
// the working directory's tracked files. `npm run house -- --sample 30 [folder]` prints random comments for a reader to rate.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { parseArgs } from "node:util";
import { parseSync } from "oxc-parser";

const PRODUCT = /^(src|durable-objects|server|session-bridge|dashboard|test-network|tools|packages)\/(?!.*\/generated\/)/;
const CODE = /\.(ts|tsx|js|mjs)$/;
const SNIPPETS = /^src\/guides\/snippets\//;
const TEXTS = /^src\/guides\/|^dashboard\/(src|phone)\/texts\/|\/failures\/texts\.ts$/;
const GENERATED = /\/events\/examples\.ts$|\.d\.ts$|\.lock$/;
const SMALL_FILE_LINES = 60;
const LONG_PAGE_LINES = 200;
const CLIMB = /^(\.\.\/){3}/;
const WORKSPACES = ["dashboard/", "session-bridge/", "test-network/"];

/** Ways of translating texts into the second language, each found by a path or a line of code. */
const TRANSLATION_MECHANISMS = [
  { what: "catalogues keyed by an English sentence", path: /^src\/.*(docs|events)\/portuguese(\.ts|\/)/, line: /./ },
  { what: "a file of failure texts per language", path: /^src\/domain\/failures\/portuguese\.ts$/, line: /./ },
  { what: "both languages in one row, on the server", path: /^src\/(?!guides)/, line: /\ben: .*\bpt: "|^\s+pt: "/ },
  { what: "a file of texts per language, dashboard", path: /^dashboard\/src\/(words\/.*\.pt\.ts|texts\/pt\/.*\.ts)$/, line: /./ },
  { what: "a file of texts per language, simulated phone", path: /^dashboard\/phone\/(words|texts)\/pt\.ts$/, line: /./ },
];

const ROUTE_DEFINITIONS = /^src\/.*\/route\.ts$/;
const RUN_OPERATION = /\bfunction runOperation\b/;

type Comment = { file: string; line: number; lastLine: number; text: string; isLine: boolean };
type Source = { text: string; imports: string[]; comments: Comment[]; linesOfComment: number };
/** `start`: the value at commit 257c91aa, measured by this program. */
type Row = { what: string; start: string; aim: string; now: string };

const { values, positionals } = parseArgs({ options: { sample: { type: "string" } }, allowPositionals: true });
const tracked = execFileSync("git", ["ls-files"], { encoding: "utf8", maxBuffer: 1 << 26 })
  .split("\n")
  .filter((file) => file !== "" && existsSync(file));
const sources = new Map(tracked.filter((file) => CODE.test(file) && !SNIPPETS.test(file)).map((file) => [file, read(file)]));
const product = [...sources].filter(([file]) => PRODUCT.test(file));

if (values.sample === undefined) printTable(rows());
else printSample(Number(values.sample), positionals[0] ?? "");

function rows(): Row[] {
  const comments = sum(product.map(([, { comments }]) => comments.length));
  const commentLines = sum(product.map(([, { linesOfComment }]) => linesOfComment));
  const climbing = sum([...sources.values()].map(({ imports }) => imports.filter((from) => CLIMB.test(from)).length));
  const counted = tracked.filter((file) => PRODUCT.test(file) && /\.(ts|tsx|js|mjs|css|html)$/.test(file));
  const lines = sum(counted.filter((file) => !TEXTS.test(file) && !GENERATED.test(file)).map(linesIn));
  const migrations = tracked.filter((file) => file.startsWith("migrations/"));
  const definitions = tracked.filter((file) => ROUTE_DEFINITIONS.test(file));
  const runOperations = product.filter(([, { text }]) => RUN_OPERATION.test(text));
  const pages = tracked.filter((file) => /^docs\/.*\.md$/.test(file) && linesIn(file) > LONG_PAGE_LINES);
  return [
    { what: "comments in product code", start: "8547", aim: "<= 6000", now: `${comments}` },
    { what: "lines that are only comment", start: "9463", aim: "<= 5000", now: `${commentLines}` },
    { what: "product files", start: "1375", aim: "<= 1050", now: `${product.length}` },
    { what: `files of <= ${SMALL_FILE_LINES} lines with one importer`, start: "277", aim: "<= 80", now: `${smallFiles().length}` },
    { what: `imports, tests too: ${CLIMB.source}`, start: "2050", aim: "0", now: `${climbing}` },
    { what: "lines of product, no texts, nothing generated", start: "108932", aim: "<= 100000", now: `${lines}` },
    { what: "migrations: files, lines", start: "39, 33777", aim: "squashed", now: `${migrations.length}, ${sum(migrations.map(linesIn))}` },
    { what: `ways to define a route: ${ROUTE_DEFINITIONS.source}`, start: "3", aim: "1", now: `${definitions.length}` },
    { what: `functions: ${RUN_OPERATION.source}`, start: "3", aim: "1", now: `${runOperations.length}` },
    { what: "mechanisms of translation, named below", start: "5", aim: "2", now: `${mechanisms().length}` },
    { what: `pages of docs above ${LONG_PAGE_LINES} lines`, start: "6", aim: "0", now: `${pages.length}` },
    { what: "lines of the README", start: "90", aim: "<= 90", now: `${linesIn("README.md")}` },
  ];
}

function printTable(table: Row[]): void {
  const header = { what: "measured", start: "257c91aa", aim: "aim", now: "now" };
  const columns = ["what", "start", "aim", "now"] as const;
  const widths = columns.map((column) => Math.max(...[header, ...table].map((row) => row[column].length)));
  for (const row of [header, ...table])
    console.log(
      columns
        .map((column, at) => row[column].padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    );
  console.log(`\nproduct: ${PRODUCT.source}, ${CODE.source}, not ${SNIPPETS.source}`);
  console.log(`texts: ${TEXTS.source}\ngenerated: ${GENERATED.source}\nmechanisms of translation:`);
  for (const { what, path, line } of mechanisms()) console.log(`  ${what}: ${line.source} in ${path.source}`);
}

function printSample(count: number, folder: string): void {
  const pool = product.filter(([file]) => file.startsWith(folder)).flatMap(([, { comments }]) => joined(comments));
  for (let left = count; left > 0 && pool.length > 0; left -= 1) {
    const [drawn] = pool.splice(Math.floor(Math.random() * pool.length), 1);
    if (drawn !== undefined) console.log(`${drawn.file}:${drawn.line}\n  ${drawn.text}\n`);
  }
}

/** One comment for each run of adjacent `//` lines, as a reader sees it. Skips directives to tools. */
function joined(comments: readonly Comment[]): Comment[] {
  const found: Comment[] = [];
  for (const comment of comments.filter(({ text }) => !/^(oxlint-|@ts-|@vite|#__|\/ <ref)/.test(text))) {
    const previous = found.at(-1);
    const continues = previous?.isLine === true && comment.isLine && comment.line === previous.lastLine + 1;
    if (continues) Object.assign(previous, { lastLine: comment.line, text: `${previous.text} ${comment.text}` });
    else found.push({ ...comment });
  }
  return found;
}

function mechanisms(): typeof TRANSLATION_MECHANISMS {
  return TRANSLATION_MECHANISMS.filter(({ path, line }) =>
    product.some(([file, { text }]) => path.test(file) && text.split("\n").some((one) => line.test(one))),
  );
}

/** Product files imported by exactly one other product file. */
function smallFiles(): string[] {
  const importers = new Map<string, Set<string>>();
  for (const [file, { imports }] of product)
    for (const specifier of imports) {
      const target = targetOf(file, specifier);
      importers.set(target, (importers.get(target) ?? new Set()).add(file));
    }
  return product.map(([file]) => file).filter((file) => importers.get(file)?.size === 1 && linesIn(file) <= SMALL_FILE_LINES);
}

function targetOf(file: string, specifier: string): string {
  if (specifier.startsWith("@gateway/")) return specifier.replace("@gateway", "src");
  if (!specifier.startsWith("#root/")) return posix.join(posix.dirname(file), specifier);
  const workspace = WORKSPACES.find((folder) => file.startsWith(folder)) ?? "";
  return posix.join(workspace, specifier.slice("#root/".length));
}

function read(file: string): Source {
  const text = readFileSync(file, "utf8");
  const { comments, module } = parseSync(file, text);
  const lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const lineAt = (offset: number) => lineStarts.findLastIndex((start) => start <= offset) + 1;
  const found = comments.map(({ type, value, start, end }) => ({
    file,
    line: lineAt(start),
    lastLine: lineAt(end),
    text: value
      .replace(/^\*+|\n\s*\*/g, " ")
      .replaceAll(/\s+/g, " ")
      .trim(),
    isLine: type === "Line",
    // A comment that follows code on the same line does not count as a comment line.
    lines: lineAt(end) - lineAt(start) + (text.slice(lineStarts[lineAt(start) - 1], start).trim() === "" ? 1 : 0),
  }));
  const requests = [...module.staticImports, ...module.staticExports.flatMap(({ entries }) => entries), ...module.dynamicImports];
  const imports = requests.flatMap(({ moduleRequest }) => {
    if (moduleRequest === null || moduleRequest === undefined) return [];
    return text.slice(moduleRequest.start + 1, moduleRequest.end - 1);
  });
  return { text, imports: [...new Set(imports)], comments: found, linesOfComment: sum(found.map(({ lines }) => lines)) };
}

function linesIn(file: string): number {
  return readFileSync(file, "utf8").trimEnd().split("\n").length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
