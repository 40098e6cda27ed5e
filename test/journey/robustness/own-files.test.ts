// What its owner, or a disk, does to the sandbox's files while it runs.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { customer } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { type Sandbox, startSandbox } from "../../support/sandbox.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.dispose());

it("a part whose secret was spoilt is started as soon as the secret is mended, and everything else goes on", async () => {
  const { processes, demo } = sandbox.ready();
  const file = join(sandbox.directory, ".dev.vars");
  const good = readFileSync(file, "utf8");
  writeFileSync(file, good.replace(/(?<=^BRIDGE_SECRET=").*(?="$)/m, "short"));
  process.kill(processes.bridge, "SIGKILL");
  const problem = "bridge cannot be started: BRIDGE_SECRET: must be at least 32 characters";
  await eventually("three failed starts", 60_000, () => sandbox.logs().split('"event":"process.not_started"').length > 3);
  expect(sandbox.output().split(problem), "it is told once").toHaveLength(2);
  expect((await customer(sandbox.ready()).get("/chats")).status).toBe(200);

  writeFileSync(file, good);
  const sent = () => customer(sandbox.ready()).text(demo.contact!.phone, "Voltei");
  await eventually("a send", 60_000, async () => (await sent()).status === 200);
  expect(sandbox.ready().processes).toEqual({ ...processes, bridge: expect.any(Number) });
});

it("a sandbox whose directory has gone starts its parts again, and still ends in order", async () => {
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
  expect(() => sandbox.ready(), "a ready file of what has ended").toThrow("ENOENT");
});
