import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { type DiskState, diskProblem, readDisk, startDiskWatch } from "#root/server/disk-watch.ts";
import type { Logs } from "#root/server/processes/logs.ts";

const GB = 1_000_000_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("a disk is low below 500 MB or a tenth of its size, and full below 5 MB", () => {
  const problem = (free: number, size: number, writable = true) => diskProblem({ free, size, writable });
  expect(problem(0.6 * GB, 100 * GB)).toBeNull();
  expect(problem(0.4 * GB, 100 * GB)).toBe("disk.low");
  expect([problem(0.2 * GB, GB), problem(0.09 * GB, GB)]).toEqual([null, "disk.low"]);
  expect(problem(4_000_000, 100 * GB)).toBe("disk.full");
  expect(problem(50 * GB, 100 * GB, false)).toBe("disk.read_only");
});

it("the log has each problem when it begins, hourly while it lasts, and its end", () => {
  const lines: string[] = [];
  const logs = { event: (event: string, { level }: { level: string }) => lines.push(`${level} ${event}`) } as unknown as Logs;
  let state: DiskState = { free: 50 * GB, size: 100 * GB, writable: true };
  const watch = startDiskWatch("/data", logs, { read: () => state });
  vi.advanceTimersByTime(HOUR_MS);
  expect(lines).toEqual([]);
  state = { ...state, free: 0.1 * GB };
  vi.advanceTimersByTime(5 * MINUTE_MS);
  expect(lines).toEqual(["warn disk.low"]);
  state = { ...state, free: 0 };
  vi.advanceTimersByTime(HOUR_MS + MINUTE_MS);
  expect(lines).toEqual(["warn disk.low", "error disk.full", "error disk.full"]);
  state = { ...state, free: 50 * GB };
  vi.advanceTimersByTime(2 * HOUR_MS);
  expect(lines.slice(3)).toEqual(["info disk.recovered"]);
  watch.stop();
  state = { ...state, writable: false };
  vi.advanceTimersByTime(HOUR_MS);
  expect(lines).toHaveLength(4);
});

it("a full or read-only disk is a fault, noticed within a second when someone asks", () => {
  const logs = { event: () => undefined } as unknown as Logs;
  let state: DiskState = { free: 50 * GB, size: 100 * GB, writable: true };
  const watch = startDiskWatch("/data", logs, { read: () => state });
  const after = (next: Partial<DiskState>) => {
    state = { ...state, ...next };
    vi.advanceTimersByTime(1_000);
    return watch.fault();
  };
  expect(after({ free: 0.1 * GB }), "a low disk still stores").toBeNull();
  expect(after({ free: 0 })).toBe("the disk is full");
  expect(after({ free: 50 * GB })).toBeNull();
  expect(after({ writable: false })).toBe("the file system is read-only");
  watch.stop();
});

it("the host learns when a read-only disk can be written again, and not when a full one has room", () => {
  const logs = { event: () => undefined } as unknown as Logs;
  let state: DiskState = { free: 50 * GB, size: 100 * GB, writable: true };
  const onWritable = vi.fn();
  const watch = startDiskWatch("/data", logs, { onWritable, read: () => state });
  const after = (next: Partial<DiskState>) => {
    state = { ...state, ...next };
    vi.advanceTimersByTime(MINUTE_MS);
    return onWritable.mock.calls.length;
  };
  expect([after({ free: 0 }), after({ free: 50 * GB })]).toEqual([0, 0]);
  expect([after({ writable: false }), after({}), after({ writable: true }), after({})]).toEqual([0, 0, 1, 1]);
  expect(
    [after({ writable: false }), after({ writable: true, free: 0.1 * GB })],
    "a low disk that can be written again is reported",
  ).toEqual([1, 2]);
  watch.stop();
});

it("a folder that is gone, such as an unmounted one, is reported and does not end the host", () => {
  const lines: string[] = [];
  const logs = { event: (event: string) => lines.push(event) } as unknown as Logs;
  const folder = mkdtempSync(join(tmpdir(), "disk-"));
  const watch = startDiskWatch(folder, logs);
  rmSync(folder, { recursive: true });
  lines.length = 0;
  vi.advanceTimersByTime(MINUTE_MS);
  expect(lines).toEqual(["disk.read_only"]);
  expect(watch.fault()).toBe("the file system is read-only");
  watch.stop();
});

it.each(["ENOSPC", "EDQUOT"])("a disk that takes no more files is full, even if bytes are left: %s", (code) => {
  const logs = { event: () => undefined } as unknown as Logs;
  const folder = mkdtempSync(join(tmpdir(), "disk-"));
  const open = () => {
    throw Object.assign(new Error(code), { code });
  };
  const watch = startDiskWatch(folder, logs, { read: (path) => readDisk(path, open) });
  expect(watch.fault()).toBe("the disk is full");
  watch.stop();
  rmSync(folder, { recursive: true });
});
