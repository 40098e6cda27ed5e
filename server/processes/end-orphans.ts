// Runs in a process that outlives the host, and ends the process groups that the host leaves behind.
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { isGroupAlive, killGroup } from "./process-table.ts";

const GRACE_MS = 3_000;
const CHECK_INTERVAL_MS = 50;

const groups = new Set<number>();
// Each line is a change, `+ 123` or `- 123`. The input ends when the host does.
for await (const line of createInterface({ input: process.stdin })) {
  const [sign, group] = line.split(" ");
  if (sign === "+") groups.add(Number(group));
  else groups.delete(Number(group));
}
const deadline = performance.now() + GRACE_MS;
const left = () => [...groups].filter(isGroupAlive);
while (left().length > 0 && performance.now() < deadline) await pause(CHECK_INTERVAL_MS);
for (const group of left()) killGroup(group, "SIGKILL");
