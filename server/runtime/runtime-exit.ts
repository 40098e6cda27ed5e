// Reports how workerd ended. Miniflare starts it as a child of this process, does not say how it ended, and would start it again silently.
import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";

/** Node's diagnostics channel that announces every process that this one starts. */
const STARTED = "child_process";

/** Calls `ended` with the signal or exit code of every process that is started from now on. Returns a function that stops this. */
export function onRuntimeExit(ended: (how: string) => void): () => void {
  let watching = true;
  const started = (message: unknown) => {
    const { process: child } = message as { process: ChildProcess };
    child.once("exit", (code, signal) => watching && ended(signal ?? `exit ${code}`));
  };
  subscribe(STARTED, started);
  return () => {
    watching = false;
    unsubscribe(STARTED, started);
  };
}
