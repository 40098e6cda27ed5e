// Global setup for the journeys: one browser, and a pool of sandboxes that test files reuse. If none is free, a new one is started with
// `--no-limits` and passkeys. A file that changes processes, limits or the demo connection starts a sandbox of its own.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import type { BrowserServer } from "playwright-core";
import type { TestProject } from "vitest/node";
import { preparedWorker, WORKERS } from "../../server/runtime/prepared-worker.ts";
import { startBrowser } from "./browser.ts";
import { type Sandbox, startSandbox } from "./sandbox.ts";

declare module "vitest" {
  interface ProvidedContext {
    /**
     * POST borrows a sandbox and returns its ready file's path, DELETE takes it back by that path. GET /browser returns the browser's URL.
     */
    sandboxPool: string;
  }
}

/** On a new clone, each of the first sandboxes would build the dashboard and the worker by itself. */
async function buildOnce(): Promise<void> {
  if (existsSync(WORKERS.sandbox.file)) return;
  await promisify(execFile)(process.execPath, ["tools/build-assets.mjs"]);
  await preparedWorker(WORKERS.sandbox);
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await buildOnce();
  const all: Sandbox[] = [];
  const free: Sandbox[] = [];
  let browser: Promise<BrowserServer> | null = null;
  const borrow = async (): Promise<Sandbox> => {
    const known = free.pop();
    if (known !== undefined) return known;
    const started = await startSandbox(["--no-limits"], { PASSKEY_CEREMONY: "on" });
    all.push(started);
    return started;
  };
  const server = createServer((request, response) => {
    const answer = (text: Promise<string>) =>
      void text.then(
        (found) => response.end(found),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    if (request.method === "GET") return answer((browser ??= startBrowser()).then((started) => started.wsEndpoint()));
    if (request.method === "POST") return answer(borrow().then(({ readyFile }) => readyFile));
    const file = decodeURIComponent(request.url?.slice(1) ?? "");
    free.push(...all.filter(({ readyFile }) => readyFile === file));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  project.provide("sandboxPool", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.closeAllConnections();
    server.close();
    await Promise.all([...all.map((sandbox) => sandbox.dispose()), browser?.then((started) => started.close())]);
  };
}
