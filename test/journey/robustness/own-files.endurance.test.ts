// Changes to the sandbox's files, by its owner or a disk fault, while it runs.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { customer } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { type Sandbox, startSandbox } from "../../support/sandbox.ts";

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox();
});
afterEach(() => sandbox.dispose());

/** The status of a read; null while the worker is down. */
const get = () =>
  customer(sandbox.ready())
    .get("/instance")
    .then(
      ({ status }) => status,
      () => null,
    );

it("a part with a broken secret starts as soon as the secret is repaired, and everything else continues", async () => {
  const { processes, demo } = sandbox.ready();
  const file = join(sandbox.directory, ".dev.vars");
  const good = readFileSync(file, "utf8");
  writeFileSync(file, good.replace(/(?<=^BRIDGE_SECRET=").*(?="$)/m, "short"));
  process.kill(processes.bridge, "SIGKILL");
  const problem = "bridge cannot be started: BRIDGE_SECRET: must be at least 32 characters";
  await eventually("three failed starts", 60_000, () => sandbox.logs().split('"event":"process.not_started"').length > 3);
  expect(sandbox.output().split(problem), "the terminal reports it once").toHaveLength(2);
  expect((await customer(sandbox.ready()).get("/chats")).status).toBe(200);

  writeFileSync(file, good);
  const sent = () => customer(sandbox.ready()).text(demo.contact!.phone, "Voltei");
  await eventually("a send", 60_000, async () => (await sent()).status === 200);
  expect(sandbox.ready().processes).toEqual({ ...processes, bridge: expect.any(Number) });
});

it("a secret without quotes, or a missing one, is never replaced", async () => {
  const file = join(sandbox.directory, ".dev.vars");
  const good = readFileSync(file, "utf8");
  const restarted = async (text: string) => {
    writeFileSync(file, text);
    const pid = sandbox.ready().processes.worker;
    process.kill(pid, "SIGKILL");
    return () => sandbox.ready().processes.worker !== pid;
  };
  const unquoted = good.replaceAll('"', "");
  await eventually("the worker was started again", 60_000, await restarted(unquoted));
  await eventually("an answer", 60_000, async () => (await get()) === 200);
  expect(readFileSync(file, "utf8"), "the file is the owner's").toBe(unquoted);

  const isBack = await restarted(good.replace(/^KEY_SECRET=.*\n/m, ""));
  const problem = `worker cannot be started: KEY_SECRET is missing in ${file}; trying again`;
  await eventually("the terminal says so", 60_000, () => sandbox.output().includes(problem));
  writeFileSync(file, good);
  await eventually("the worker was started again", 60_000, isBack);
  await eventually("an answer to a key of the old secret", 60_000, async () => (await get()) === 200);
});

it("a sandbox with a deleted directory restarts its parts, and still exits cleanly", async () => {
  const { processes } = sandbox.ready();
  const restarts = () => sandbox.output().match(/network \(process \d+\) ended/g)?.length ?? 0;
  rmSync(sandbox.directory, { recursive: true, maxRetries: 5 });
  process.kill(processes.network ?? 0, "SIGKILL");
  await eventually(
    "the network was started again",
    60_000,
    () => restarts() > 0 && sandbox.ready().processes.network !== processes.network,
  );

  expect(await sandbox.stop()).toBe(0);
  expect(sandbox.output()).toContain("sandbox.pid cannot be written (ENOENT)");
  expect(sandbox.output()).not.toMatch(/\n {4}at /);
  expect(() => sandbox.ready(), "the ready file of an ended sandbox").toThrow("ENOENT");
});
