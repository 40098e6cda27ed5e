// Keeps a run's temporary files in memory if there is room: SQLite syncs each commit, which on disk takes longer than the tests.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";

const MEMORY = "/dev/shm";
const PREFIX = "gateway-tests-";
/** Containers often have only 64 MB of shared memory. */
const NEEDED_BYTES = 4 * 2 ** 30;

/** Sets TMPDIR for all processes of the run, unless it is already set. */
export function keepTemporaryFilesInMemory(): void {
  if (process.env["TMPDIR"] !== undefined || !isSuitable()) return;
  removeLeftovers();
  const folder = `${MEMORY}/${PREFIX}${process.pid}`;
  mkdirSync(folder, { recursive: true });
  process.env["TMPDIR"] = folder;
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
}

function isSuitable(): boolean {
  if (!existsSync(MEMORY) || !existsSync("/proc/mounts")) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  const options = readFileSync("/proc/mounts", "utf8")
    .match(/ \/dev\/shm tmpfs (\S+)/)?.[1]
    ?.split(",");
  // Some tests execute programs that they have written.
  return bavail * bsize >= NEEDED_BYTES && options?.includes("rw") === true && !options.includes("noexec");
}

/** Deletes the files of killed runs, which could not do so. */
function removeLeftovers(): void {
  for (const name of readdirSync(MEMORY)) {
    if (name.startsWith(PREFIX) && !isRunning(Number(name.slice(PREFIX.length)))) {
      rmSync(`${MEMORY}/${name}`, { recursive: true, force: true });
    }
  }
}

function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}
