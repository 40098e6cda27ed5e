// What a newcomer has after `git clone` and `npm ci`: the repository's files as they are now, and its packages.
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** Into a new folder `to`. The packages are linked, not copied. */
export function cleanClone(to: string): void {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  for (const file of listed.split("\0").filter((name) => name !== "" && !name.includes("/planted-"))) {
    // Another state of the index may list what is not there.
    if (!existsSync(join(ROOT, file))) continue;
    mkdirSync(dirname(join(to, file)), { recursive: true });
    copyFileSync(join(ROOT, file), join(to, file));
  }
  for (const packages of ["node_modules", "dashboard/node_modules", "session-bridge/node_modules", "test-network/node_modules"]) {
    if (existsSync(join(ROOT, packages))) symlinkSync(join(ROOT, packages), join(to, packages));
  }
}
