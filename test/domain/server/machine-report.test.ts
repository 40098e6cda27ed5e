import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { machineReport } from "#root/server/runtime/machine-report.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "gateway-machine-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const GB = 1_000_000_000;
const STARTED = "2026-03-01T12:00:00Z";

function reportAt(time: string, { backups = true, free = 50 * GB, writable = true } = {}) {
  const machine = { dataFolder: "/data", backups: { folder, time: backups ? "03:30" : null, keep: 7 } };
  return machineReport(machine, Date.parse(STARTED), Date.parse(time), () => ({ free, size: 100 * GB, writable }));
}

it("a backup is missing once it is two hours overdue, until there is a new one", () => {
  expect(reportAt("2026-03-02T05:29:00Z").backups).toBeNull();
  expect(reportAt("2026-03-02T05:30:00Z").backups).toBe(`no backup in ${folder}`);
  expect(reportAt("2026-03-09T12:00:00Z", { backups: false }).backups).toBeNull();
  mkdirSync(join(folder, "gateway-2026-03-02T05-40-00-000Z"));
  expect(reportAt("2026-03-03T05:29:00Z").backups).toBeNull();
  expect(reportAt("2026-03-03T05:30:00Z").backups).toBe(`the last backup in ${folder} is from 2026-03-02T05:40:00.000Z`);
});

it("a disk is reported while it is low, full or read-only", () => {
  expect(reportAt(STARTED).disk).toBeNull();
  expect(reportAt(STARTED, { free: 0.2 * GB }).disk).toBe("disk.low: 200 MB free in /data");
  expect(reportAt(STARTED, { free: 0 }).disk).toBe("disk.full: 0 MB free in /data");
  expect(reportAt(STARTED, { writable: false }).disk).toBe("disk.read_only: 50000 MB free in /data");
});
