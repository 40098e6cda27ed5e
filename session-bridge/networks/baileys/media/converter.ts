// Runs ffmpeg in a child process. Its input comes from strangers, so it receives none of the bridge's environment, and its resources are
// limited.
import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Semaphore } from "async-mutex";
import { MAX_MEDIA_BYTES } from "@gateway/protocol/internal-http.ts";

export const CONVERTER = "ffmpeg";

const TIMEOUT_MS = 30_000;
const THREADS = "2";
const MAX_PIXELS = "16777216";
const BLOCK_BYTES = 512;

/** CPU seconds, address space (kB), size of written files (blocks), open files. Limits that the system lacks are skipped. */
const LIMITS = [`-t ${(TIMEOUT_MS / 1000) * 2}`, "-v 3000000", `-f ${Math.ceil(MAX_MEDIA_BYTES / BLOCK_BYTES)}`, "-n 64", "-c 0"];
const WITHIN_LIMITS = `${LIMITS.map((limit) => `ulimit ${limit} 2>/dev/null`).join("; ")}; exec "$0" "$@"`;

/** Each run uses two CPU cores; so more runs at once would starve the sessions. */
const slots = new Semaphore(2);

export async function findConverter(path = process.env["PATH"] ?? ""): Promise<string | null> {
  for (const folder of path.split(":").filter((one) => one.startsWith("/"))) {
    const file = join(folder, CONVERTER);
    if (
      await access(file, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return file;
  }
  return null;
}

/** `formats` lists the accepted inputs. A playlist, for example, would make the converter open URLs and files that the sender chose. */
export async function runConverter(
  source: string,
  formats: string,
  args: readonly string[],
  target: string,
): Promise<"done" | "failed" | "missing"> {
  const converter = await findConverter();
  if (converter === null) return "missing";
  const input = ["-protocol_whitelist", "file", "-format_whitelist", formats, "-threads", THREADS, "-max_pixels", MAX_PIXELS, "-i", source];
  const all = ["-nostdin", "-loglevel", "error", "-y", "-filter_threads", "1", ...input, "-threads", THREADS, ...args, target];
  return slots.runExclusive(() => run(converter, all));
}

function run(converter: string, args: readonly string[]): Promise<"done" | "failed"> {
  return new Promise((resolve) => {
    const options = { stdio: "ignore", env: {}, cwd: tmpdir(), timeout: TIMEOUT_MS, killSignal: "SIGKILL" } as const;
    const child = spawn("/bin/sh", ["-c", WITHIN_LIMITS, converter, ...args], options);
    child.once("error", () => resolve("failed"));
    child.once("close", (code) => resolve(code === 0 ? "done" : "failed"));
  });
}
