// Finds free ports on loopback.
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { writeAtomically } from "./files.ts";

/** Ports for processes that start listening later. The ports come from blocks outside the range from which the system assigns ports. */
const FIRST_PORT = 20_000;
const BLOCK = 10;
const BLOCKS = 1_200;

const RELEASED_WITHIN_MS = 2_000;
const CHECK_INTERVAL_MS = 50;

/** Ports in this process's blocks that are not used yet. */
const unused: number[] = [];

/** If `port` is 0, chooses a port that this process has reserved. Returns null if the port is in use. */
export async function freePort(port: number): Promise<number | null> {
  if (port !== 0) return isFree(port);
  for (;;) {
    const own = unused.shift();
    if (own === undefined && !(await takeBlock())) return null;
    if (own !== undefined && (await isFree(own)) !== null) return own;
  }
}

/** Waits for the port, because the previous sandbox's runtime may still be using it. */
export async function portOnceFree(port: number): Promise<number | null> {
  const givenUpAt = performance.now() + RELEASED_WITHIN_MS;
  for (;;) {
    const free = await freePort(port);
    if (free !== null || performance.now() >= givenUpAt) return free;
    await pause(CHECK_INTERVAL_MS);
  }
}

/** Returns the port stored in the file if it is free. Otherwise, stores and returns a free one. */
export async function keptPort(file: string): Promise<number> {
  const last = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
  const port = (Number.isInteger(last) && last > 0 && last <= 65_535 ? await portOnceFree(last) : null) ?? (await freePort(0)) ?? 0;
  writeAtomically(file, String(port));
  return port;
}

/** Alternates between two ports, because another program may take one before the process listens. */
export async function portPerStart(): Promise<() => number> {
  const [one, two] = [(await freePort(0)) ?? 0, (await freePort(0)) ?? 0];
  let starts = 0;
  return () => (starts++ % 2 === 0 ? one : two);
}

/** The process that listens on a block's first port owns the block. */
async function takeBlock(): Promise<boolean> {
  const start = Math.floor(Math.random() * BLOCKS);
  for (let n = 0; n < BLOCKS; n++) {
    const first = FIRST_PORT + ((start + n) % BLOCKS) * BLOCK;
    const owner = await listening(first);
    if (owner === null) continue;
    owner.unref();
    for (let port = first + 1; port < first + BLOCK; port++) unused.push(port);
    return true;
  }
  return false;
}

async function isFree(port: number): Promise<number | null> {
  const server = await listening(port);
  if (server === null) return null;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function listening(port: number): Promise<Server | null> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve) => {
    server.once("error", () => resolve(null));
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}
