// A fresh checkout, as after `git clone` and `npm ci`: the repository's current files and its packages.
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** Creates the folder `to`. Packages are linked, not copied. */
export function cleanClone(to: string): void {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  for (const file of listed.split("\0").filter((name) => name !== "" && !name.includes("/planted-"))) {
    // The index may list files that no longer exist.
    if (!existsSync(join(ROOT, file))) continue;
    mkdirSync(dirname(join(to, file)), { recursive: true });
    copyFileSync(join(ROOT, file), join(to, file));
  }
  for (const packages of ["node_modules", "dashboard/node_modules", "session-bridge/node_modules", "test-network/node_modules"]) {
    if (existsSync(join(ROOT, packages))) symlinkSync(join(ROOT, packages), join(to, packages));
  }
}
