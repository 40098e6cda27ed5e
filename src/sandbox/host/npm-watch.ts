// The sandbox ends with the `npm` that runs it: of SIGTERM and SIGINT npm tells its child, of SIGHUP and SIGKILL it cannot.
import { commandLineOf, isAlive, parentOf } from "./process-table.ts";

const CHECK_INTERVAL_MS = 250;
/** Some shells stay between npm and the command, others are replaced by it. */
const SHELL = /^(\S*\/)?(ba|da|a|z|k)?sh(\s|$)/;

/** Calls `onGone` once when npm, or the shell it uses, has ended. Does nothing unless `npm start` or `npx` started this process. */
export function watchNpm(onGone: () => void): void {
  if (!["start", "npx"].includes(process.env["npm_lifecycle_event"] ?? "")) return;
  const parent = process.ppid;
  const npm = SHELL.test(commandLineOf(parent) ?? "") ? parentOf(parent) : parent;
  const timer = setInterval(() => {
    if (process.ppid === parent && isAlive(parent) && (npm === null || isAlive(npm))) return;
    clearInterval(timer);
    onGone();
  }, CHECK_INTERVAL_MS);
  timer.unref();
}
