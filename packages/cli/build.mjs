// `npm run cli:build -- [folder]` builds the published package, one file without dependencies, in `packages/cli/dist` or another folder.
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const folder = process.argv[2] ?? join(HERE, "dist");
const BIN = "gateway.js";

mkdirSync(folder, { recursive: true });
buildSync({
  entryPoints: [join(HERE, "src/main.ts")],
  outfile: join(folder, BIN),
  bundle: true,
  minify: true,
  platform: "node",
  format: "esm",
  target: "node20",
});
chmodSync(join(folder, BIN), 0o755);

const { name, version, description, license, type } = JSON.parse(readFileSync(join(HERE, "package.json"), "utf8"));
const manifest = { name, version, description, license, type, engines: { node: ">=20" }, files: [BIN], bin: { gateway: BIN } };
writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
cpSync(join(HERE, "README.md"), join(folder, "README.md"));
// The bundle contains uqr, whose licence has to be included.
const licences = ["../LICENSE", "../../node_modules/uqr/LICENSE"].map((path) => readFileSync(join(HERE, path), "utf8"));
writeFileSync(join(folder, "LICENSE"), licences.join("\nThis package contains uqr:\n\n"));
