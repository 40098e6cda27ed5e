// Every way of ending the sandbox leaves nothing behind, and the next sandbox can start on the same state and ports at once.
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "#root/server/ports.ts";
import type { Ready } from "#root/src/sandbox/host/state-directory.ts";
import { eventually, within } from "../../support/eventually.ts";
import { leftOf, type ProcessId, processTree } from "../../support/process-tree.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const ENDED_WITHIN_MS = 5_000;

let directory: string;
let flags: string[];
let stayingShell: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "gateway-stop-"));
  // Reserved for this test run, including the time between an exit and the next start.
  const [port, networkPort] = [await freePort(0), await freePort(0)];
  flags = ["--port", String(port), "--network-port", String(networkPort), "--state", join(directory, "state")];
  stayingShell = join(directory, "staying-sh");
  writeFileSync(stayingShell, '#!/bin/sh\n/bin/sh "$@"\nexit $?\n');
  chmodSync(stayingShell, 0o700);
});
afterAll(() => {
  last?.npm.kill("SIGKILL");
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});

type Run = { npm: ChildProcess; ready(): Ready };
let last: Run | undefined;

/** Runs `npm start` under this shell, on the shared state and ports; resolves once everything responds. */
async function startedBy(shell: string): Promise<Run> {
  const readyFile = join(directory, "ready.json");
  rmSync(readyFile, { force: true });
  const npm = spawn("npm", ["start", "--script-shell", shell, "--", ...flags, "--ready-file", readyFile], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [npm.stdout, npm.stderr]) stream.on("data", (chunk: Buffer) => void (output += chunk.toString()));
  await eventually("it is ready", 120_000, () => {
    if (npm.exitCode !== null || npm.signalCode !== null) throw new Error(`it ended: ${output}`);
    return existsSync(readyFile);
  });
  return (last = { npm, ready: () => JSON.parse(readFileSync(readyFile, "utf8")) as Ready });
}

/** The run started by the last test. */
async function current(): Promise<Run> {
  return last !== undefined && last.npm.exitCode === null && last.npm.signalCode === null ? last : startedBy("/bin/sh");
}

/** Fails unless these processes and all in their groups exit in time. */
async function expectGone(tree: readonly ProcessId[]): Promise<void> {
  expect(tree.map(({ command }) => command).join("\n")).toMatch(/workerd/);
  let left: ProcessId[] = [];
  await within("nothing is left", ENDED_WITHIN_MS, () => (left = leftOf(tree)).length === 0).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${left.map(({ pid, command }) => `${pid} ${command.slice(0, 120)}`).join("; ")}`);
  });
}

const STAYING = "a shell that stays";

/** The signal's target, the signal, and the shell that runs npm for the next sandbox. */
const CASES = [
  ["npm", "SIGINT", "/bin/bash"],
  ["npm", "SIGTERM", STAYING],
  ["npm", "SIGHUP", "/bin/sh"],
  ["npm", "SIGKILL", STAYING],
  ["npm", "SIGKILL", "/bin/sh"],
  ["sandbox", "SIGINT", "/bin/sh"],
  ["sandbox", "SIGTERM", "/bin/sh"],
  ["sandbox", "SIGHUP", "/bin/sh"],
] as const;

describe("no process is left behind, and the next start succeeds at once", () => {
  it.each(CASES)("when %s gets %s (the next npm uses %s)", async (whom, signal, shell) => {
    const { npm, ready } = await current();
    const tree = processTree(npm.pid ?? 0);
    process.kill(whom === "npm" ? (npm.pid ?? 0) : ready().processes.sandbox, signal);
    await Promise.all([startedBy(shell === STAYING ? stayingShell : shell), expectGone(tree)]);
  });

  it("when the sandbox is killed while its bridge and worker ignore signals", async () => {
    const { npm, ready } = await current();
    const tree = processTree(npm.pid ?? 0);
    const { bridge, worker, sandbox } = ready().processes;
    for (const pid of [bridge, worker]) process.kill(pid, "SIGSTOP");
    process.kill(sandbox, "SIGKILL");
    await Promise.all([startedBy("/bin/sh"), expectGone(tree)]);
  });

  it("when npm is stopped while the bridge ignores signals", async () => {
    const { npm, ready } = await current();
    const tree = processTree(npm.pid ?? 0);
    process.kill(ready().processes.bridge, "SIGSTOP");
    npm.kill("SIGTERM");
    await expectGone(tree);
  });

  it("while it is starting", async () => {
    const npm = spawn("npm", ["start", "--", ...flags], { cwd: ROOT, stdio: "ignore" });
    const tree = await eventually("the runtime is starting", 60_000, () => {
      const now = processTree(npm.pid ?? 0);
      return now.some(({ command }) => command.includes("workerd")) && now;
    });
    npm.kill("SIGHUP");
    await expectGone(tree);
  });
});
