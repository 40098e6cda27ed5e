// A start takes as long as the machine needs; slow steps are reported and never make it fail.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";

const START = fileURLToPath(new URL("../../../src/sandbox/host/start.mjs", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "gateway-slow-"));
const state = join(directory, "state");
const readyFile = join(directory, "ready.json");
let sandbox: ChildProcess | undefined;

afterAll(() => {
  sandbox?.kill("SIGKILL");
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});

it("a worker that needs half a minute is awaited, with a note in the terminal", async () => {
  let output = "";
  sandbox = spawn(process.execPath, [START, "--port", "0", "--network-port", "0", "--state", state, "--ready-file", readyFile], {
    // Set as npm does, so that the sandbox exits when the test run is killed.
    env: { ...process.env, npm_lifecycle_event: "start" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [sandbox.stdout, sandbox.stderr]) stream?.on("data", (chunk: Buffer) => void (output += chunk.toString()));
  const running = (): ChildProcess => {
    if (sandbox === undefined || sandbox.exitCode !== null) throw new Error(`the sandbox ended:\n${output}`);
    return sandbox;
  };
  const holder = join(state, "sandbox.pid");
  // The worker starts first.
  const worker = await eventually("the worker was begun", 60_000, () => {
    running();
    return existsSync(holder) && (JSON.parse(readFileSync(holder, "utf8")) as { groups: number[] }).groups[0];
  });
  process.kill(-worker, "SIGSTOP");
  await eventually(
    "half a minute was waited",
    120_000,
    () => running() && output.includes("still starting: waiting for the worker (30 s)"),
  );
  process.kill(-worker, "SIGCONT");
  await eventually("it is ready", 240_000, () => running() && existsSync(readyFile));
  // The ready file appears before the terminal's last lines.
  await eventually("it says so", 60_000, () => output.includes("The gateway is ready"));

  const gone = once(running(), "exit");
  running().kill("SIGTERM");
  expect(await gone).toEqual([0, null]);
});
