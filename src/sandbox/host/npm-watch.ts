// The sandbox ends with the `npm` that runs it, because npm passes on SIGTERM and SIGINT, but not SIGHUP and SIGKILL.
import { commandLineOf, isAlive, parentOf } from "./process-table.ts";

const CHECK_INTERVAL_MS = 250;
/** Some shells keep running between npm and the command; others are replaced by the command. */
const SHELL = /^(\S*\/)?(ba|da|a|z|k)?sh(\s|$)/;

export type RunningNpm = { npm: number | null; parent: number };

/** null unless `npm start` or `npx` started this process. */
export function npmOfThisProcess(): RunningNpm | null {
  if (!["start", "npx"].includes(process.env["npm_lifecycle_event"] ?? "")) return null;
  const parent = process.ppid;
  return { parent, npm: SHELL.test(commandLineOf(parent) ?? "") ? parentOf(parent) : parent };
}

export function watchNpm({ npm, parent }: RunningNpm, onGone: () => void): void {
  const timer = setInterval(() => {
    if (process.ppid === parent && isAlive(parent) && (npm === null || isAlive(npm))) return;
    clearInterval(timer);
    onGone();
  }, CHECK_INTERVAL_MS);
  timer.unref();
}
