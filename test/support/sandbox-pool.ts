// Global setup of the journeys: sandboxes that their files use one after the other. One is started when no other is free, with
// `--no-limits` and passkeys. Whoever changes its processes, its limits or its demo connection starts one of his own.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { type Sandbox, startSandbox } from "./sandbox.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** POST borrows a sandbox and answers its ready file's path, DELETE with that path gives it back. */
    sandboxPool: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const all: Sandbox[] = [];
  const free: Sandbox[] = [];
  const borrow = async (): Promise<Sandbox> => {
    const known = free.pop();
    if (known !== undefined) return known;
    const started = await startSandbox(["--no-limits"], { PASSKEY_CEREMONY: "on" });
    all.push(started);
    return started;
  };
  const server = createServer((request, response) => {
    if (request.method === "POST") {
      borrow().then(
        ({ readyFile }) => response.end(readyFile),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
      return;
    }
    const file = decodeURIComponent(request.url?.slice(1) ?? "");
    free.push(...all.filter(({ readyFile }) => readyFile === file));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  project.provide("sandboxPool", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.closeAllConnections();
    server.close();
    await Promise.all(all.map((sandbox) => sandbox.dispose()));
  };
}
