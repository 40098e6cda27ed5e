// During a move, neither the gateway nor another move starts on the same data folder (docs/operate/moving.md, "One gateway has the session").
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openDataFolder } from "#root/server/data-folder.ts";
import { freePort } from "#root/server/ports.ts";

let data: string;
let mover: ChildProcess;
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), "mover-"));
  openDataFolder(data);
  const idle = "console.log('up'); setInterval(() => undefined, 1_000)";
  mover = spawn(process.execPath, ["-e", idle, "server/move/export-command.ts"], { stdio: ["ignore", "pipe", "ignore"] });
  if (mover.stdout !== null) await once(mover.stdout, "data");
  writeFileSync(join(data, "move.pid"), JSON.stringify({ pid: mover.pid }));
});
afterEach(() => {
  mover.kill("SIGKILL");
  rmSync(data, { recursive: true });
});

async function run(program: string, ...args: string[]) {
  const file = fileURLToPath(new URL(`../../../server/${program}`, import.meta.url));
  const env = { ...process.env, DATA_DIR: data, PORT: String((await freePort(0)) ?? 0) };
  const running = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", file, ...args], { cwd: data, env });
  let stderr = "";
  running.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  await once(running, "close");
  return { status: running.exitCode, stderr };
}

it("refuses the gateway and a second move, and ignores the file of a killed move", { timeout: 300_000 }, async () => {
  const [gateway, second] = await Promise.all([run("start.mjs"), run("move/export-command.ts", "1", "--undo")]);
  expect(gateway).toEqual({ status: 1, stderr: expect.stringContaining(`in use by a move (process ${mover.pid})`) });
  expect(existsSync(join(data, "serve.pid"))).toBe(false);
  expect(second).toEqual({ status: 1, stderr: expect.stringContaining(`in use by another move (process ${mover.pid})`) });
  expect(existsSync(join(data, "move.pid")), "it is the first one's").toBe(true);
  mover.kill("SIGKILL");
  await once(mover, "exit");
  const later = await run("move/export-command.ts", "1", "--undo");
  expect(later).toEqual({ status: 1, stderr: expect.stringContaining("is missing") });
  expect(existsSync(join(data, "move.pid"))).toBe(false);
});
