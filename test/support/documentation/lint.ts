// Lints an OpenAPI document in its own thread. Linting takes seconds; in the main thread, Node would miss the gateway closing idle
// connections, and the next `fetch` would fail on one of them.
import { once } from "node:events";
import { Worker } from "node:worker_threads";

export type Linted = { source: string; url: string };

/** Lint errors in the document at `url`, each with its rule. */
export async function lintErrors(url: string): Promise<string[]> {
  const workerData: Linted = { url, source: await (await fetch(url)).text() };
  const thread = new Worker(new URL("./lint-thread.ts", import.meta.url), { workerData });
  const [errors] = (await once(thread, "message")) as [string[]];
  await thread.terminate();
  return errors;
}
