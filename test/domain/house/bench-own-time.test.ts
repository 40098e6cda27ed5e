// `npm run bench:check` counts the CPU time of all processes that a bench starts as the bench's own.
import { describe, expect, it } from "vitest";
import { OwnTime, type Process } from "#root/bench/support/cpu-time.ts";

const CHECK = 100;
const INIT = 1;

type Times = { ms: number; waitedMs?: number; startedAt?: number };
const processOf = (pid: number, parent: number, { ms, waitedMs = 0, startedAt = pid }: Times): Process => ({
  pid,
  parent,
  startedAt,
  name: "node",
  ms,
  waitedMs,
});
const init = processOf(INIT, 0, { ms: 9_000, waitedMs: 9_000 });
const check = (ms: number, waitedMs = 0) => processOf(CHECK, INIT, { ms, waitedMs });

/** CPU time after these looks at all processes. */
function ownMs(...looks: readonly Process[][]): number {
  const own = new OwnTime(CHECK);
  for (const look of looks) own.look([init, ...look]);
  return own.ms();
}

describe("own CPU time", () => {
  it("is that of the process and its descendants since the first look, without other processes", () => {
    const before = [check(70, 500), processOf(50, INIT, { ms: 300 })];
    const after = [
      check(90, 500),
      processOf(50, INIT, { ms: 900 }),
      processOf(102, 101, { ms: 40 }),
      processOf(101, CHECK, { ms: 10 }),
      processOf(51, 50, { ms: 80 }),
    ];
    expect(ownMs(before, after)).toBe(20 + 10 + 40);
  });

  it("includes a process that ended after its parent, so that init waited for it", () => {
    const running = [check(0), processOf(101, CHECK, { ms: 10 }), processOf(102, 101, { ms: 400 })];
    const orphaned = [check(0, 12), processOf(102, INIT, { ms: 410 })];
    expect(ownMs([check(0)], running, orphaned)).toBe(10 + 410);
    expect(ownMs([check(0)], running, orphaned, [check(0, 12)])).toBe(10 + 410);
  });

  it("includes a process that ended together with its parent between two looks", () => {
    const running = [check(0), processOf(101, CHECK, { ms: 10 }), processOf(102, 101, { ms: 400 })];
    expect(ownMs([check(0)], running, [check(0, 12)])).toBe(10 + 400);
  });

  it("counts an ended process once if its parent waited for it", () => {
    const running = [check(0), processOf(101, CHECK, { ms: 10 }), processOf(102, 101, { ms: 400 })];
    const waited = [check(0), processOf(101, CHECK, { ms: 10, waitedMs: 430 })];
    expect(ownMs([check(0)], running, waited)).toBe(10 + 430);
    expect(ownMs([check(0)], running, waited, [check(0, 440)])).toBe(440);
  });

  it("includes children that no look has seen, but none that ended before the first look", () => {
    expect(ownMs([check(0, 5_000)], [check(0, 5_030)])).toBe(30);
  });

  it("does not mistake a new process for an ended one with the same id", () => {
    const running = [check(0), processOf(101, CHECK, { ms: 400 })];
    expect(ownMs([check(0)], running, [check(0, 400), processOf(101, 50, { ms: 900, startedAt: 999 })])).toBe(400);
    expect(ownMs([check(0)], running, [check(0, 400), processOf(101, CHECK, { ms: 7, startedAt: 999 })])).toBe(400 + 7);
  });

  it("is zero without /proc", () => {
    expect(new OwnTime(CHECK).ms()).toBe(0);
  });
});
