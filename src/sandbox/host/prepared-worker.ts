// The worker's bundle and options, prepared once per start of the sandbox (prepare-worker.ts).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { unstable_getMiniflareWorkerOptions } from "wrangler";

export type PreparedWorker = { script: string; options: ReturnType<typeof unstable_getMiniflareWorkerOptions>["workerOptions"] };

const PREPARE = fileURLToPath(new URL("prepare-worker.ts", import.meta.url));

/** Reads the file if an earlier worker process of this start has prepared it; prepares it otherwise. */
export async function preparedWorker(file: string): Promise<PreparedWorker> {
  if (!existsSync(file)) {
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", PREPARE, file], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    const [code] = (await once(child, "exit")) as [number | null];
    if (code !== 0) throw new Error("could not be prepared");
  }
  // Written by prepare-worker.ts only.
  return JSON.parse(readFileSync(file, "utf8")) as PreparedWorker;
}
