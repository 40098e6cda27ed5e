// `npm run n8n:verify` lints and builds packages/n8n with n8n's official tool. Installs 700 MB from npm into a temporary folder.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PACKAGE = join(import.meta.dirname, "..", "packages", "n8n");

const folder = mkdtempSync(join(tmpdir(), "n8n-verify-"));

/** Prints the program's output, which names each finding. Fails if the program fails. */
function timed(what: string, command: string, args: readonly string[]): void {
  const start = performance.now();
  execFileSync(command, args, { cwd: folder, stdio: ["ignore", "inherit", "inherit"], env: { ...process.env, CI: "true" } });
  console.log(`${what}: no findings, ${((performance.now() - start) / 1_000).toFixed(1)} s`);
}

try {
  cpSync(PACKAGE, folder, { recursive: true, filter: (path) => !/\/(node_modules|dist)$/.test(path) });
  timed("npm ci", "npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"]);
  timed("n8n-node lint", "npx", ["n8n-node", "lint"]);
  timed("n8n-node build", "npx", ["n8n-node", "build"]);
  const files = readdirSync(join(folder, "dist"), { recursive: true, encoding: "utf8" }).map((file) => join(folder, "dist", file));
  const bytes = files
    .map((file) => statSync(file))
    .filter((about) => about.isFile())
    .reduce((sum, { size }) => sum + size, 0);
  console.log(`dist: ${files.length} entries, ${(bytes / 1_024).toFixed(0)} KB`);
} finally {
  rmSync(folder, { recursive: true });
}
