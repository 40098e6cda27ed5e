// One gateway, move or restore uses a data folder (docs/operate/moving.md, "One gateway has the session").
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openDataFolder, recordRelease } from "#root/server/data-folder.ts";
import { isFolderLocked } from "#root/server/folder-lock.ts";
import { freePort } from "#root/server/ports.ts";

let data: string;
let other: ChildProcess;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "mover-"));
  openDataFolder(data);
  recordRelease(data);
});
afterEach(() => {
  other.kill("SIGKILL");
  rmSync(data, { recursive: true });
});

/** Ends with the test. */
async function started(script: string, ...args: string[]): Promise<void> {
  const idle = `${script}; console.log("up"); setInterval(() => undefined, 1_000)`;
  other = spawn(process.execPath, ["--input-type=module", "-e", idle, ...args], { stdio: ["ignore", "pipe", "ignore"] });
  if (other.stdout !== null) await once(other.stdout, "data");
}

async function run(program: string, ...args: string[]) {
  const file = fileURLToPath(new URL(`../../../server/${program}`, import.meta.url));
  const env = { ...process.env, DATA_DIR: data, BACKUP_DIR: `${data}-backups`, PORT: String((await freePort(0)) ?? 0) };
  const running = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", file, ...args], { cwd: data, env });
  let stderr = "";
  running.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  await once(running, "close");
  return { status: running.exitCode, stderr };
}

const COMMANDS = [
  ["start.mjs"],
  ["move/export-command.ts", "1", "--undo"],
  ["backup/restore-command.ts", "backup", "--replace"],
  ["backup/backup-command.ts"],
] as const;

it(
  "every command is refused while a process of another container holds the folder, whose id means nothing here",
  { timeout: 300_000 },
  async () => {
    const lock = new URL("../../../server/folder-lock.ts", import.meta.url).href;
    await started(`(await import(${JSON.stringify(lock)})).lockFolder(${JSON.stringify(data)})`);
    const before = readdirSync(data).toSorted();
    for (const [program, ...args] of COMMANDS) {
      const inUse = expect.stringContaining("is in use by a gateway, a move or a restore, perhaps in another container");
      expect([program, await run(program, ...args)]).toEqual([program, { status: 1, stderr: inUse }]);
    }
    expect(readdirSync(data).toSorted()).toEqual(before);
    expect(isFolderLocked(data)).toBe(true);
    expect(
      readdirSync(data).filter((name) => name.startsWith("lock")),
      "the lock leaves no other files, which a restore would take for data",
    ).toEqual(["lock"]);
    other.kill("SIGKILL");
    await once(other, "exit");
    expect(isFolderLocked(data), "the system has released it").toBe(false);
  },
);

it(
  "a move refuses the gateway, a restore and a second move meanwhile, and ignores a killed move's file",
  { timeout: 300_000 },
  async () => {
    await started("", "server/move/export-command.ts");
    const mover = other;
    writeFileSync(join(data, "move.pid"), JSON.stringify({ pid: mover.pid }));
    const [gateway, second, restore] = await Promise.all(COMMANDS.slice(0, 3).map(([program, ...args]) => run(program, ...args)));
    for (const refused of [gateway, restore])
      expect(refused).toEqual({ status: 1, stderr: expect.stringContaining(`in use by a move (process ${mover.pid})`) });
    expect(existsSync(join(data, "serve.pid"))).toBe(false);
    expect(second).toEqual({ status: 1, stderr: expect.stringContaining(`in use by another move (process ${mover.pid})`) });
    expect(existsSync(join(data, "move.pid")), "the first move keeps its file").toBe(true);
    mover.kill("SIGKILL");
    await once(mover, "exit");
    const later = await run("move/export-command.ts", "1", "--undo");
    expect(later).toEqual({ status: 1, stderr: expect.stringContaining("is missing") });
    expect(existsSync(join(data, "move.pid"))).toBe(false);
  },
);

it("a move and a restore are refused while a backup runs, and work after it was killed", { timeout: 300_000 }, async () => {
  await started("", "server/backup/backup-command.ts");
  const backup = other;
  writeFileSync(join(data, "backup.pid"), JSON.stringify({ pid: backup.pid }));
  const [, move, restore] = COMMANDS;
  for (const [program, ...args] of [move, restore]) {
    const refusal = expect.stringContaining(`DATA_DIR: ${data} is in use by a backup (process ${backup.pid})`);
    expect([program, await run(program, ...args)]).toEqual([program, { status: 1, stderr: refusal }]);
  }
  expect(existsSync(join(data, "move.pid"))).toBe(false);
  backup.kill("SIGKILL");
  await once(backup, "exit");
  expect(await run(...move)).toEqual({ status: 1, stderr: expect.stringContaining("is missing") });
});
