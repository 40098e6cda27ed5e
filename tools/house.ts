// `npm run house` measures how easily others could take over this repository. `-- --sample 30 [folder]` prints random comments to rate.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { parseSync } from "oxc-parser";

const PRODUCT = /^(src|durable-objects|server|session-bridge|dashboard|test-network|tools|packages)\/(?!.*\/generated\/)/;
const CODE = /\.(ts|tsx|js|mjs)$/;
const SNIPPETS = /^src\/guides\/snippets\//;
const TEXTS = /^src\/guides\/|^dashboard\/(src|phone)\/texts\/|\/failures\/texts\.ts$/;
const GENERATED = /\/events\/examples\.ts$|\.d\.ts$|\.lock$/;
const LONG_FILE_LINES = 350;
const LONG_PAGE_LINES = 200;
const CLIMB = /^(\.\.\/){3}/;

type Comment = { file: string; line: number; lastLine: number; text: string; isLine: boolean };
type Source = { text: string; imports: string[]; comments: Comment[]; linesOfComment: number };
type Measure = { what: string; aim: string; now: string };

const { values, positionals } = parseArgs({ options: { sample: { type: "string" } }, allowPositionals: true });
const tracked = execFileSync("git", ["ls-files"], { encoding: "utf8", maxBuffer: 1 << 26 })
  .split("\n")
  .filter((file) => file !== "" && existsSync(file));
const sources = new Map(tracked.filter((file) => CODE.test(file) && !SNIPPETS.test(file)).map((file) => [file, read(file)]));
const product = [...sources].filter(([file]) => PRODUCT.test(file));

if (values.sample === undefined) printTable(rows());
else printSample(Number(values.sample), positionals[0] ?? "");

function rows(): Measure[] {
  const commentLines = sum(product.map(([, { linesOfComment }]) => linesOfComment));
  const climbing = sum([...sources.values()].map(({ imports }) => imports.filter((from) => CLIMB.test(from)).length));
  const counted = tracked.filter((file) => PRODUCT.test(file) && /\.(ts|tsx|js|mjs|css|html)$/.test(file));
  const written = counted.filter((file) => !TEXTS.test(file) && !GENERATED.test(file));
  const lines = sum(written.map(linesIn));
  const long = written.filter((file) => linesIn(file) > LONG_FILE_LINES);
  const pages = tracked.filter((file) => /^docs\/.*\.md$/.test(file) && linesIn(file) > LONG_PAGE_LINES);
  return [
    { what: "comment lines per 100 lines of product", aim: "<= 5", now: ((100 * commentLines) / lines).toFixed(1) },
    { what: `imports, tests too: ${CLIMB.source}`, aim: "0", now: `${climbing}` },
    { what: `product files above ${LONG_FILE_LINES} lines, no texts`, aim: "0", now: `${long.length}` },
    { what: `pages of docs above ${LONG_PAGE_LINES} lines`, aim: "0", now: `${pages.length}` },
    { what: "lines of the README", aim: "<= 90", now: `${linesIn("README.md")}` },
  ];
}

function printTable(table: Measure[]): void {
  const header = { what: "measured", aim: "aim", now: "now" };
  const columns = ["what", "aim", "now"] as const;
  const widths = columns.map((column) => Math.max(...[header, ...table].map((row) => row[column].length)));
  for (const row of [header, ...table])
    console.log(
      columns
        .map((column, at) => row[column].padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    );
  console.log(`\nproduct: ${PRODUCT.source}, ${CODE.source}, not ${SNIPPETS.source}`);
  console.log(`texts: ${TEXTS.source}\ngenerated: ${GENERATED.source}`);
}

function printSample(count: number, folder: string): void {
  const pool = product.filter(([file]) => file.startsWith(folder)).flatMap(([, { comments }]) => joined(comments));
  for (let left = count; left > 0 && pool.length > 0; left -= 1) {
    const [drawn] = pool.splice(Math.floor(Math.random() * pool.length), 1);
    if (drawn !== undefined) console.log(`${drawn.file}:${drawn.line}\n  ${drawn.text}\n`);
  }
}

/** One comment for each run of adjacent `//` lines, as a reader sees it. Skips directives for tools. */
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
    // A trailing comment does not count as a comment line.
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
