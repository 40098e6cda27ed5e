// Small JSON calls to the sandbox's own processes.
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { writeAtomically } from "./files.ts";

/** The JSON answer. Throws `CallFailed` unless it is a 2xx, with status and path only: the body could contain a secret. */
export async function callJson<T>(url: string, options: { method?: string; token?: string; body?: unknown } = {}): Promise<T> {
  const noAnswer = (): never => {
    throw new CallFailed(null, new URL(url).pathname);
  };
  const response = await fetch(url, {
    method: options.method ?? (options.body === undefined ? "GET" : "POST"),
    headers: {
      ...(options.body === undefined ? {} : { "content-type": "application/json" }),
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  }).catch(noAnswer);
  if (!response.ok) throw new CallFailed(response.status, new URL(url).pathname);
  return (await response.json().catch(noAnswer)) as T;
}

export class CallFailed extends Error {
  /** null: nothing answered. */
  readonly status: number | null;

  constructor(status: number | null, path: string) {
    super(status === null ? `${path} did not answer` : `${path} answered ${status}`);
    this.status = status;
  }

  /** As while a part is started again. */
  get mayPass(): boolean {
    return this.status === null || this.status >= 500;
  }
}

/** Calls `ask` until it returns a value. */
export async function until<T>(ask: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const answer = await ask().catch(() => null);
    if (answer !== null) return answer;
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

const RELEASED_WITHIN_MS = 2_000;
const CHECK_INTERVAL_MS = 50;

/** The port if it is free, any free port for 0, null if the port is in use. Loopback only. */
export function freePort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(null));
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      const found = typeof address === "object" && address !== null ? address.port : port;
      server.close(() => resolve(found));
    });
  });
}

/** As `freePort`, for a port that the last sandbox's runtime may still hold: the system closes it a little after the process has died. */
export async function portOnceFree(port: number): Promise<number | null> {
  const givenUpAt = performance.now() + RELEASED_WITHIN_MS;
  for (;;) {
    const free = await freePort(port);
    if (free !== null || performance.now() >= givenUpAt) return free;
    await pause(CHECK_INTERVAL_MS);
  }
}

/** The port that the file names, if it is free, else any free one, which the file names from now on. Loopback only. */
export async function keptPort(file: string): Promise<number> {
  const last = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
  const port = (Number.isInteger(last) && last > 0 && last <= 65_535 ? await portOnceFree(last) : null) ?? (await freePort(0)) ?? 0;
  writeAtomically(file, String(port));
  return port;
}

/**
 * Gives a process a free port at each start. Somebody may take it before the process listens: the next start gets another. Loopback
 * only.
 */
export async function portPerStart(): Promise<() => number> {
  let next = (await freePort(0)) ?? 0;
  return () => {
    const port = next;
    void freePort(0).then((found) => (next = found ?? next));
    return port;
  };
}
