// Lints an OpenAPI document in a thread of its own. Linting takes seconds, in which this one could not notice that the gateway has closed idle
// connections: the next `fetch` would take one of them, and fail.
import { once } from "node:events";
import { Worker } from "node:worker_threads";

export type Linted = { source: string; url: string };

/** The errors in the document at `url`, each with its rule. */
export async function lintErrors(url: string): Promise<string[]> {
  const workerData: Linted = { url, source: await (await fetch(url)).text() };
  const thread = new Worker(new URL("./lint-thread.ts", import.meta.url), { workerData });
  const [errors] = (await once(thread, "message")) as [string[]];
  await thread.terminate();
  return errors;
}
