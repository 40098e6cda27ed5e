// A worker's bundle and options, stored in a file in `dist` until a source changes.
import { spawn } from "node:child_process";
import { hash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { unstable_getMiniflareWorkerOptions } from "wrangler";

export type PreparedWorker = {
  script: string;
  options: ReturnType<typeof unstable_getMiniflareWorkerOptions>["workerOptions"];
  /** Options contain absolute paths, so they are valid for one repository only. */
  root: string;
  sources: Record<string, string>;
};

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PREPARE = fileURLToPath(new URL("prepare-worker.ts", import.meta.url));

export const WORKERS = {
  sandbox: { entry: "src/sandbox/worker.ts", file: join(ROOT, "dist/worker.json") },
  production: { entry: "src/worker.ts", file: join(ROOT, "dist/server-worker.json") },
  /** The worker for a machine that has MOVE_SECRET. */
  moving: { entry: "src/moving/worker.ts", file: join(ROOT, "dist/moving-worker.json") },
} as const;

/** Does nothing if the stored bundle is current. */
export async function preparedWorker({ entry, file }: (typeof WORKERS)[keyof typeof WORKERS]): Promise<PreparedWorker> {
  const known = preparedIn(file);
  if (known !== null && isCurrent(known, ROOT)) return known;
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", PREPARE, entry, file], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = (await once(child, "exit")) as [number | null];
  const prepared = code === 0 ? preparedIn(file) : null;
  if (prepared === null) throw new Error("could not be prepared");
  return prepared;
}

export function isCurrent({ root, sources }: Pick<PreparedWorker, "root" | "sources">, now: string): boolean {
  return root === now && Object.entries(sources).every(([path, digest]) => digestOf(join(now, path)) === digest);
}

/** Returns an empty string for a missing file, so that creating the file is detected as a change. */
export function digestOf(file: string): string {
  try {
    return hash("sha1", readFileSync(file));
  } catch {
    return "";
  }
}

function preparedIn(file: string): PreparedWorker | null {
  try {
    // The content is not validated, because only prepare-worker.ts writes it.
    return JSON.parse(readFileSync(file, "utf8")) as PreparedWorker;
  } catch {
    return null;
  }
}
