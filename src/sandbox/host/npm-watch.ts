// The sandbox ends with the `npm` that runs it: of SIGTERM and SIGINT npm tells its child, of SIGHUP and SIGKILL it cannot.
import { commandLineOf, isAlive, parentOf } from "./process-table.ts";

const CHECK_INTERVAL_MS = 250;
/** Some shells stay between npm and the command, others are replaced by it. */
const SHELL = /^(\S*\/)?(ba|da|a|z|k)?sh(\s|$)/;

/** Process ids of npm (null: unknown) and of this process's parent: npm or the shell it uses. */
export type RunningNpm = { npm: number | null; parent: number };

/** Null unless `npm start` or `npx` started this process. */
export function npmOfThisProcess(): RunningNpm | null {
  if (!["start", "npx"].includes(process.env["npm_lifecycle_event"] ?? "")) return null;
  const parent = process.ppid;
  return { parent, npm: SHELL.test(commandLineOf(parent) ?? "") ? parentOf(parent) : parent };
}

/** Calls `onGone` once when npm or its shell has ended. */
export function watchNpm({ npm, parent }: RunningNpm, onGone: () => void): void {
  const timer = setInterval(() => {
    if (process.ppid === parent && isAlive(parent) && (npm === null || isAlive(npm))) return;
    clearInterval(timer);
    onGone();
  }, CHECK_INTERVAL_MS);
  timer.unref();
}
