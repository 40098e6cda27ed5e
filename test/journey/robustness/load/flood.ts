// Many clients that send large bodies to a worker at once.
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Flood } from "./flood-thread.ts";

export type RunningFlood = {
  /** Starts no more requests. Resolves to the status and code of every response, "none" if the connection closed without one. */
  end(): Promise<string[]>;
};

/** Runs in its own thread, so it does not delay the calls that a test measures. */
export async function startFlood(flood: Flood, bodies: readonly Uint8Array[]): Promise<RunningFlood> {
  const thread = new Worker(new URL("./flood-thread.ts", import.meta.url), { workerData: { flood, bodies } });
  const result = once(thread, "message");
  await once(thread, "online");
  return {
    async end() {
      thread.postMessage("end", []);
      const [answers] = (await result) as [string[]];
      return answers;
    },
  };
}
