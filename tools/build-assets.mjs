// Collects the static files of a deployment in dist/assets: the dashboard, and the API reference component with its page's own script and
// style. Run by wrangler (`[build]`) and by the sandbox before they read that directory. Plain JavaScript: wrangler may run on an older Node.
import { copyFileSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { builtDashboard } from "../dashboard/build.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const TARGET = join(ROOT, "dist/assets");

/** Folders whose files are copied, by the folder they are served from. */
const SOURCES = [
  { from: "src/docs/assets", files: "reference.*", to: "assets/docs" },
  {
    from: "node_modules/@fontsource-variable/atkinson-hyperlegible-next/files",
    files: "*-latin-wght-normal.woff2",
    to: "assets/docs/fonts",
  },
  {
    from: "node_modules/@fontsource-variable/atkinson-hyperlegible-mono/files",
    files: "*-latin-wght-normal.woff2",
    to: "assets/docs/fonts",
  },
  { from: "node_modules/@scalar/api-reference/dist/browser", files: "{standalone.esm.js,chunks/*.js}", to: "assets/docs/component" },
];

export async function buildAssets() {
  const dashboard = { from: relative(ROOT, await builtDashboard()), files: "**/*", to: "." };
  const wanted = new Map(
    [dashboard, ...SOURCES].flatMap(({ from, files, to }) =>
      filesOf(join(ROOT, from), files).map((name) => [join(TARGET, to, name), join(ROOT, from, name)]),
    ),
  );
  for (const [target, source] of wanted) copy(source, target);
  for (const name of filesOf(TARGET, "**/*")) if (!wanted.has(join(TARGET, name))) rmSync(join(TARGET, name));
}

function filesOf(directory, pattern) {
  return globSync(pattern, { cwd: directory, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)));
}

/** In one step, and not at all when nothing changed: another sandbox may be reading the file. */
function copy(source, target) {
  if (contentOf(target)?.equals(readFileSync(source)) === true) return;
  mkdirSync(dirname(target), { recursive: true });
  const unfinished = `${target}.${process.pid}.new`;
  copyFileSync(source, unfinished);
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
