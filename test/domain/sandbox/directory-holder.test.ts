import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { holderThatStays } from "../../../src/sandbox/host/directory-holder.ts";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A process that looks like a sandbox, and a state directory that names it by this content of `sandbox.pid`. */
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

it.each([
  ["this release", (pid: number) => JSON.stringify({ pid, ending: false, groups: [] })],
  ["an earlier release, which stored its id alone", String],
])("a state directory is in use by a sandbox of %s", async (_which, contentFor) => {
  const { path, holder } = await heldBy(contentFor);
  expect(await holderThatStays(path)).toBe(holder.pid);
  holder.kill("SIGKILL");
  await once(holder, "exit");
  expect(await holderThatStays(path)).toBeNull();
});

it.each(["", "null", "0", "-1", "true", '"7"', "{}"])("what is no process's id keeps nobody out: %j", async (content) => {
  const { path } = await heldBy(() => content);
  expect(await holderThatStays(path)).toBeNull();
});
