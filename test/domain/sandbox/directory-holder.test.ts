import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { holderThatStays as holderOf } from "#root/server/directory-holder.ts";
import { HELD_BY_SANDBOX } from "#root/src/sandbox/host/state-directory.ts";

const holderThatStays = (path: string) => holderOf(path, HELD_BY_SANDBOX);

const ends: (() => void)[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const end of ends.splice(0)) end();
});

/** A process that looks like a sandbox, and a state directory whose `sandbox.pid` names it with this content. */
async function heldBy(contentFor: (pid: number) => string): Promise<{ path: string; holder: ChildProcess }> {
  const path = mkdtempSync(join(tmpdir(), "holder-"));
  const idle = "console.log('up'); setInterval(() => undefined, 1_000)";
  const holder = spawn(process.execPath, ["-e", idle, "sandbox/host/start.mjs"], { stdio: ["ignore", "pipe", "ignore"] });
  ends.push(
    () => holder.kill("SIGKILL"),
    () => rmSync(path, { recursive: true }),
  );
  await once(holder.stdout, "data");
  writeFileSync(join(path, "sandbox.pid"), contentFor(holder.pid ?? 0));
  return { path, holder };
}

it("a state directory is in use by the sandbox that it names", async () => {
  const { path, holder } = await heldBy((pid) => JSON.stringify({ pid, ending: false, groups: [] }));
  expect(await holderThatStays(path)).toBe(holder.pid);
  holder.kill("SIGKILL");
  await once(holder, "exit");
  expect(await holderThatStays(path)).toBeNull();
});

it.each([
  ["that is ending", { ending: true, npm: null }],
  ["whose npm has ended, before it has noticed", { ending: false, npm: "ended" }],
])("a sandbox %s is waited for, however slow it is", async (_which, { ending, npm }) => {
  const ended = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await once(ended, "exit");
  const { path, holder } = await heldBy((pid) => JSON.stringify({ pid, ending, npm: npm === null ? null : ended.pid, groups: [] }));
  const now = performance.now.bind(performance);
  let passedMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now() + passedMs);
  const looks = vi.spyOn(process, "kill");
  const stays = holderThatStays(path);
  passedMs = 60_000;
  looks.mockClear();
  await vi.waitFor(() => expect(looks).toHaveBeenCalledWith(holder.pid, 0), 60_000);
  vi.restoreAllMocks();
  holder.kill("SIGKILL");
  expect(await stays).toBeNull();
});

it.each(["", "null", "0", "-1", "true", "7", '"7"', "{}"])("an invalid process id does not hold the directory: %j", async (content) => {
  const { path } = await heldBy(() => content);
  expect(await holderThatStays(path)).toBeNull();
});
