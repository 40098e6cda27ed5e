// Runs ffmpeg in a child process, without environment and with limited resources, because its input comes from strangers.
import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { Semaphore } from "async-mutex";
import { MAX_MEDIA_BYTES } from "@gateway/protocol/internal-http.ts";

export const CONVERTER = "ffmpeg";

/** Half of the time that a send with a file may take (`SEND_TIMEOUTS`). */
const TIMEOUT_MS = 30_000;
/** Applies to codecs and filters too, because each thread takes memory and the machine has only a quarter of a CPU. */
const THREADS = "1";
const MAX_PIXELS = "16777216";
const BLOCK_BYTES = 512;
const NICENESS = 15;
const MAX_REPORT_BYTES = 64 * 1024;
/** Maximum number of waiting conversions, at most one per session. With more, the last would time out, although most are short. */
const MAX_WAITING = 8;

/** Less than a third of the memory, because a machine that runs out restarts. A `limit` of 0 means that the container has none. */
export function converterMemoryBytes(limit = process.constrainedMemory(), total = totalmem()): number {
  return Math.floor(Math.min(limit > 0 ? limit : total, total) * 0.32);
}

/** Limits CPU seconds, address space (kB), size of written files (blocks) and open files. Skips limits that the system does not support. */
function withinLimits(): string {
  const kilobytes = Math.floor(converterMemoryBytes() / 1024);
  const limits = [`-t ${TIMEOUT_MS / 1000}`, `-v ${kilobytes}`, `-f ${Math.ceil(MAX_MEDIA_BYTES / BLOCK_BYTES)}`, "-n 64", "-c 0"];
  return `${limits.map((limit) => `ulimit ${limit} 2>/dev/null`).join("; ")}; exec nice -n ${NICENESS} "$0" "$@"`;
}

/** One slot per process. Sessions take turns, because each one requests its next conversion only after the previous one has ended. */
const slot = new Semaphore(1);
let waiting = 0;

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

export type Conversion = {
  /** The accepted inputs. A playlist, for example, would make the converter open URLs and files that the sender chose. */
  formats: string;
  args: readonly string[];
  maxSeconds: number;
};

/** `busy` means that too many conversions are waiting, or that the result is no longer needed. */
export type Ended = "done" | "failed" | "missing" | "too_long" | "busy";

export async function runConverter(
  source: string,
  { formats, args, maxSeconds }: Conversion,
  target: string,
  isWanted: () => boolean,
): Promise<Ended> {
  const converter = await findConverter();
  if (converter === null) return "missing";
  if (waiting > MAX_WAITING) return "busy";
  const input = ["-protocol_whitelist", "file", "-format_whitelist", formats, "-threads", THREADS, "-max_pixels", MAX_PIXELS, "-i", source];
  const filters = ["-filter_threads", THREADS, "-filter_complex_threads", THREADS];
  const all = ["-nostdin", "-hide_banner", "-nostats", "-y", ...filters, ...input, "-threads", THREADS, ...args, target];
  waiting += 1;
  return slot.runExclusive(async () => (isWanted() ? run(converter, all, maxSeconds) : "busy")).finally(() => (waiting -= 1));
}

/** Stops as soon as the reported duration exceeds the limit. Files without a stated duration are stopped by the time limit. */
function run(converter: string, args: readonly string[], maxSeconds: number): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", withinLimits(), converter, ...args], {
      stdio: ["ignore", "ignore", "pipe"],
      env: {},
      cwd: tmpdir(),
      timeout: TIMEOUT_MS,
      killSignal: "SIGKILL",
    });
    let [report, isTooLong] = ["", false];
    child.stderr.setEncoding("latin1");
    child.stderr.on("data", (text: string) => {
      if (isTooLong || report.length > MAX_REPORT_BYTES) return;
      report += text;
      isTooLong = (durationIn(report) ?? 0) > maxSeconds;
      if (isTooLong) child.kill("SIGKILL");
    });
    child.once("error", () => resolve("failed"));
    child.once("close", (code) => resolve(code === 0 && !isTooLong ? "done" : isTooLong || child.killed ? "too_long" : "failed"));
  });
}

/** Returns the first duration that the converter reports, in seconds, or null. Titles are indented further, so they cannot forge it. */
export function durationIn(report: string): number | null {
  const [, hours, minutes, seconds] = /^ {2}Duration: (\d+):(\d\d):(\d\d(?:\.\d+)?),/m.exec(report) ?? [];
  return hours === undefined ? null : Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
}
