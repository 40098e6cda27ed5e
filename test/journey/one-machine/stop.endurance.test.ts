// Every way of ending the gateway leaves no process behind, and the next start succeeds at once on the same port and data.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isGroupStopped } from "#root/server/processes/process-table.ts";
import { ask } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { type ServedGateway, startServedGateway } from "../../support/one-machine/served-gateway.ts";
import { processTree } from "../../support/process-tree.ts";

const WITHIN_MS = 60_000;
const PAUSE = new URL("../../../server/backup/pause.ts", import.meta.url).href;

let gateway: ServedGateway;
beforeEach(async () => {
  gateway = await startServedGateway({ BACKUP_TIME: "off" });
});
afterEach(() => gateway.dispose());

it("the gateway starts again after signals, a kill -9 of the host, and while its processes hang", async () => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"] as const) {
    await gateway.end(signal);
    await gateway.start();
  }
  const { worker, bridge } = gateway.processes();
  for (const pid of [worker, bridge]) process.kill(pid, "SIGSTOP");
  await gateway.end("SIGKILL");
  await gateway.start();
  expect((await ask(`${gateway.url}/api/health`)).status).toBe(200);
});

it("the gateway continues by itself if workerd dies, and logs how", async () => {
  const runtime = processTree(gateway.processes().worker).find(({ command }) => command.includes("workerd"));
  process.kill(runtime?.pid ?? 0, "SIGKILL");
  const logged = '"process":"worker","event":"runtime.ended","how":"SIGKILL"';
  await eventually("workerd's end is logged", WITHIN_MS, () => gateway.output().includes(logged));
  // Not `ask`, which expects documented answers also while the worker is away.
  await eventually("the worker answers again", WITHIN_MS, async () => (await fetch(`${gateway.url}/api/health/ready`)).ok);
});

it("the gateway continues by itself if a backup is killed while it holds the gateway still", async () => {
  const script = `const { whilePaused } = await import(${JSON.stringify(PAUSE)});
    await whilePaused(process.argv[1], { read() { process.stdout.write("paused"); for (;;); }, discard() {} });`;
  const backup = spawn(process.execPath, ["--input-type=module", "-e", script, gateway.data], { stdio: ["ignore", "pipe", "inherit"] });
  await once(backup.stdout, "data");
  const { worker } = gateway.processes();
  expect(isGroupStopped(worker)).toBe(true);
  backup.kill("SIGKILL");
  expect((await ask(`${gateway.url}/api/health`)).status).toBe(200);
  expect(isGroupStopped(worker)).toBe(false);
});
