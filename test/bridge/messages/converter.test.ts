import { describe, expect, it } from "vitest";
import { converterMemoryBytes, durationIn } from "#root/session-bridge/networks/baileys/media/converter.ts";

const GIB = 1024 ** 3;

describe("the converter's memory", () => {
  it.each([
    ["a container's limit", GIB, 16 * GIB, GIB],
    ["no limit", 0, 4 * GIB, 4 * GIB],
    // cgroup v1 reports a number near 2^63 if there is no limit.
    ["a limit above the machine's memory", 2 ** 62, 4 * GIB, 4 * GIB],
  ])("is less than a third of the available memory with %s", (_with, limit, total, there) => {
    const bytes = converterMemoryBytes(limit, total);
    expect(bytes).toBeLessThan(there / 3);
    expect(bytes).toBeGreaterThan(there * 0.3);
  });
});

describe("the length of a file", () => {
  it.each([
    ["  Duration: 00:01:02.50, start: 0.000000, bitrate: 1000 kb/s", 62.5],
    ["  Duration: 01:00:00.00, start: 0.000000, bitrate: 1000 kb/s", 3_600],
    ["  Duration: N/A, start: 0.000000, bitrate: N/A", null],
    ["  Dura", null],
    ["  Duration: 00:01:0", null],
    ["  Metadata:\n    title           :   Duration: 09:00:00.00, start\n  Duration: 00:00:01.00, start: 0.0", 1],
  ])("is read from %j", (report, seconds) => {
    expect(durationIn(`Input #0, matroska,webm, from 'file':\n${report}`)).toBe(seconds);
  });
});
