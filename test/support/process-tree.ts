// A process and all its descendants, read from /proc, including processes in other groups.
import { readdirSync, readFileSync } from "node:fs";

export type ProcessId = { pid: number; parent: number; group: number; state: string; command: string };

/** `pid` and all its current descendants. */
export function processTree(pid: number): ProcessId[] {
  const all = everyProcess();
  const below = (parent: number): ProcessId[] => all.flatMap((one) => (one.parent === parent ? [one, ...below(one.pid)] : []));
  return [...all.filter((one) => one.pid === pid), ...below(pid)];
}

/** Processes of the tree that are still running, plus others in their groups. */
export function leftOf(tree: readonly ProcessId[]): ProcessId[] {
  const groups = new Set(tree.filter(({ pid, group }) => pid === group).map(({ group }) => group));
  const same = (one: ProcessId) => tree.some(({ pid, command }) => pid === one.pid && command === one.command);
  return everyProcess().filter((one) => one.state !== "Z" && (same(one) || groups.has(one.group)));
}

function everyProcess(): ProcessId[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const [state = "", parent, group] = readFileSync(`/proc/${name}/stat`, "utf8").split(")").at(-1)?.trim().split(" ") ?? [];
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      return [{ pid: Number(name), parent: Number(parent), group: Number(group), state, command }];
    } catch {
      // The process has exited since.
      return [];
    }
  });
}
