// `npm run sdk:build -- [folder]` builds the published package in `packages/sdk/dist` or another folder.
import { execFileSync } from "node:child_process";
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const folder = process.argv[2] ?? join(HERE, "dist");

rmSync(join(folder, "lib"), { recursive: true, force: true });
execFileSync("tsc", ["-p", join(HERE, "tsconfig.build.json"), "--outDir", join(folder, "lib")], { stdio: "inherit" });
// Keeps comments only in the type files, which editors show.
buildSync({
  entryPoints: globSync(join(folder, "lib/**/*.js")),
  outdir: join(folder, "lib"),
  allowOverwrite: true,
  format: "esm",
  target: "es2022",
});
// Text that repeats more than 32 KB later hardly compresses in a tarball, so tabs make the indentation smaller.
for (const file of globSync(join(folder, "lib/**/*.d.ts"))) {
  const tabbed = readFileSync(file, "utf8").replaceAll(/^(?: {4})+/gm, (spaces) => "\t".repeat(spaces.length / 4));
  writeFileSync(file, tabbed);
}

const { name, version, description, license, type, sideEffects } = JSON.parse(readFileSync(join(HERE, "package.json"), "utf8"));
const entry = (file) => ({ types: `./lib/${file}.d.ts`, default: `./lib/${file}.js` });
const manifest = {
  name,
  version,
  description,
  license,
  type,
  sideEffects,
  engines: { node: ">=20" },
  files: ["lib"],
  exports: { ".": entry("index"), "./webhooks": entry("webhooks"), "./checkpoint": entry("checkpoint"), "./node": entry("node") },
};
writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
cpSync(join(HERE, "README.md"), join(folder, "README.md"));
cpSync(join(HERE, "../LICENSE"), join(folder, "LICENSE"));
