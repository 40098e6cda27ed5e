// Many clients that send a worker large bodies at once.
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Flood } from "./flood-thread.ts";

export type RunningFlood = {
  /** Starts nothing new. Resolves to status and code of every answer, "none" where the connection ended without one. */
  end(): Promise<string[]>;
};

/** In a thread of its own, so that it does not delay the calls that a test measures meanwhile. */
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
