// Identifies the running build: by the operator's name for it, or else by a digest of the sources. Two images therefore never share a name.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SOURCES = ["session-bridge", "src/protocol", "src/tracing"];
const DIGITS = 12;

export function digestOfSources(root = ROOT): string {
  const hash = createHash("sha256");
  for (const file of ["package-lock.json", ...SOURCES.flatMap((folder) => sourcesBelow(root, folder))]) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update("\0");
  }
  return hash.digest("hex").slice(0, DIGITS);
}

export function versionOf(root = ROOT): string {
  const { version, dependencies } = JSON.parse(readFileSync(join(root, "session-bridge/package.json"), "utf8")) as {
    version: string;
    dependencies: { baileys: string };
  };
  return `${version} (baileys ${dependencies.baileys})`;
}

function sourcesBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return entry.name === "node_modules" ? [] : sourcesBelow(root, path);
      return entry.name.endsWith(".ts") ? [path] : [];
    });
}
