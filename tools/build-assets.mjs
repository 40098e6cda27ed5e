// Collects a deployment's static files in dist/assets. It is plain JavaScript, because wrangler (`[build]`) may run on an older Node.
import { globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import serveReference from "@scalar/fastify-api-reference";
import { builtDashboard } from "../dashboard/build.mjs";
import { builtDocuments } from "../src/docs/build.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const TARGET = join(ROOT, "dist/assets");

/** Source folders to copy, each with the folder that serves it. */
const SOURCES = [
  { from: "src/docs/assets", files: "*", to: "assets/docs" },
  {
    from: "node_modules/@fontsource-variable/atkinson-hyperlegible-mono/files",
    files: "*-latin-wght-normal.woff2",
    to: "assets/docs/fonts",
  },
  { from: "dashboard/src/fonts", files: "*.woff2", to: "assets/docs/fonts" },
];

export async function buildAssets() {
  const dashboard = { from: relative(ROOT, await builtDashboard()), files: "**/*", to: "." };
  const documents = { from: relative(ROOT, await builtDocuments()), files: "*", to: "docs/prepared" };
  const wanted = new Map(
    [dashboard, documents, ...SOURCES].flatMap(({ from, files, to }) =>
      filesOf(join(ROOT, from), files).map((name) => [join(TARGET, to, name), readFileSync(join(ROOT, from, name))]),
    ),
  );
  wanted.set(join(TARGET, "assets/docs/component/standalone.js"), await referenceComponent());
  for (const [target, content] of wanted) write(target, content);
  for (const name of filesOf(TARGET, "**/*")) if (!wanted.has(join(TARGET, name))) rmSync(join(TARGET, name));
}

/** `@scalar/api-reference` contains the same file, but depends on 240 packages that are needed only to build it. */
async function referenceComponent() {
  const routes = [];
  const app = { route: (route) => routes.push(route), log: console, hasPlugin: () => false, initialConfig: {} };
  await new Promise((registered) => serveReference(app, { configuration: { url: "/" } }, registered));
  const { handler } = routes.find(({ url }) => url.endsWith(".js"));
  const reply = { header: () => reply, send: (content) => content };
  return Buffer.from(handler({}, reply));
}

function filesOf(directory, pattern) {
  return globSync(pattern, { cwd: directory, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)));
}

/** Writes atomically, and only if something changed, because another sandbox may be reading the file. */
function write(target, content) {
  if (contentOf(target)?.equals(content) === true) return;
  mkdirSync(dirname(target), { recursive: true });
  const unfinished = `${target}.${process.pid}.new`;
  writeFileSync(unfinished, content);
  renameSync(unfinished, target);
}

function contentOf(file) {
  try {
    return readFileSync(file);
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildAssets();
