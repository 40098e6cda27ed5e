import { readFileSync } from "node:fs";
import { expect, inject } from "vitest";
import type { Ready } from "../../src/sandbox/host/state-directory.ts";
import { phones } from "./clients.ts";
import { logsOf, type Sandbox } from "./sandbox.ts";

export type SharedSandbox = Pick<Sandbox, "ready" | "logs" | "dispose">;

/**
 * A sandbox with `--no-limits` and passkeys, used by one file at a time. Each file creates its own connections and numbers, and leaves the
 * demo connection, the contact and the processes unchanged.
 */
export async function borrowSandbox(): Promise<SharedSandbox> {
  const pool = inject("sandboxPool");
  const answer = await fetch(pool, { method: "POST" });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  const ready = () => JSON.parse(readFileSync(text, "utf8")) as Ready;
  const found = await contactOptions(ready());
  return {
    ready,
    logs: () => logsOf(text),
    async dispose() {
      await phones(ready()).call("DELETE", "/faults");
      expect(await contactOptions(ready()), "what the contact does, as the next file expects it").toEqual(found);
      await fetch(`${pool}/${encodeURIComponent(text)}`, { method: "DELETE" });
    },
  };
}

async function contactOptions(ready: Ready): Promise<unknown> {
  const { body } = await phones(ready).call("GET", `/phones/${ready.demo.contact?.phone}`);
  return (body as { data: { options: unknown } }).data.options;
}
