// Entry of a process that outlives the sandbox: when the sandbox has died, it ends the process groups that were left. The parts end
// by themselves (exit-with-parent.mjs), but one that is stopped, too busy, or without its host does not.
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { isGroupAlive, killGroup } from "./process-table.ts";

/** For a part to end by itself. */
const GRACE_MS = 3_000;
const CHECK_INTERVAL_MS = 50;

const groups = new Set<number>();
// One line per change, `+ 123` or `- 123`; the end of the input is the end of the sandbox.
for await (const line of createInterface({ input: process.stdin })) {
  const [sign, group] = line.split(" ");
  if (sign === "+") groups.add(Number(group));
  else groups.delete(Number(group));
}
const deadline = performance.now() + GRACE_MS;
const left = () => [...groups].filter(isGroupAlive);
while (left().length > 0 && performance.now() < deadline) await pause(CHECK_INTERVAL_MS);
for (const group of left()) killGroup(group, "SIGKILL");
