import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { onRuntimeExit } from "#root/server/runtime/runtime-exit.ts";

it("each process that starts while it is watched has its signal or exit code reported, until the watch ends", async () => {
  const ends: string[] = [];
  const run = async (script: string) => once(spawn("sh", ["-c", script]), "exit");
  const before = spawn("sh", ["-c", "read line; exit 5"]);
  const stop = onRuntimeExit((how) => void ends.push(how));
  await run("kill -BUS $$");
  await run("exit 3");
  before.stdin.end();
  await once(before, "exit");
  const later = run("exit 4");
  stop();
  await later;
  await run("exit 6");
  expect(ends).toEqual(["SIGBUS", "exit 3"]);
});
