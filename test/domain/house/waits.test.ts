// Waits must suit a machine five times slower: none fails a test within a minute, unless the product promises that time.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const MIN_MS = 60_000;

const PATTERNS = [
  /(?:\beventually|\.waitFor)\(\s*(?:"[^"\n]*"|`[^`\n]*`|\w+),\s*([\d_]+),/g,
  /\btimeout: ([\d_]+)/g,
  /\bvi\.waitFor\((?:async )?\(\) =>.*, ([\d_]+)\)/g,
  /\n *\},\s*([\d_]+),?\s*\)/g,
  /\bconst \w*(?:WITHIN|TIMEOUT|WAIT)_MS = ([\d_]+);/g,
  /\b(?:testTimeout|hookTimeout|setDefaultTimeout)[:(] ?([\d_]+)/g,
];

/** Waits whose exact length these files test, which may therefore be short. */
const TESTED: Readonly<Record<string, readonly number[]>> = {
  "test/bridge/durability/offline-end.test.ts": [20_000],
  "test/bridge/start-up/library-defects.test.ts": [400],
  "test/journey/dashboard/logs.endurance.test.ts": [2_000],
  "test/journey/dashboard/pairing/pair.endurance.test.ts": [1_000],
  "test/journey/features/suspension.endurance.test.ts": [1_000],
  "test/journey/robustness/stop.endurance.test.ts": [5_000],
  "test/worker/http/revocations.ts": [1_000],
};

function shortWaits(text: string): number[] {
  const all = PATTERNS.flatMap((pattern) => [...text.matchAll(pattern)].map(([, ms = ""]) => Number(ms.replaceAll("_", ""))));
  return all.filter((ms) => ms < MIN_MS);
}

afterEach(() => {
  vi.useRealTimers();
});

const trackedFiles = (...where: string[]) => execFileSync("git", ["ls-files", ...where], { cwd: ROOT, encoding: "utf8" }).split("\n");

describe("a wait", () => {
  it("is found in every form in which it is written", () => {
    expect(shortWaits('await eventually("x", 5_000, ask)')).toEqual([5_000]);
    expect(shortWaits("await receiver.waitFor(\n  `y ${1}`,\n  10_000,\n  fits)")).toEqual([10_000]);
    expect(shortWaits("const EVENT_TIMEOUT_MS = 20_000;")).toEqual([20_000]);
    expect(shortWaits("vi.waitFor(() => expect(1).toBe(1), { timeout: 300 })")).toEqual([300]);
    expect(
      shortWaits("vi.waitFor(\n  async () => {\n    await alarm();\n    expect(1).toBe(1);\n  },\n  { timeout: 400, interval: 9 },\n)"),
    ).toEqual([400]);
    expect(shortWaits("vi.waitFor(async () => expect(await kept()).toEqual([]), 500);")).toEqual([500]);
    expect(shortWaits("vi.waitFor(async () => {\n  await alarm();\n}, 600);")).toEqual([600]);
    expect(shortWaits("vi.waitFor(\n  async () => {\n    await alarm();\n  },\n  700,\n);")).toEqual([700]);
    expect(shortWaits('await eventually("x", 60_000, ask); within("y", 15_000, ask)')).toEqual([]);
  });

  it("lasts a minute at least", () => {
    const short = trackedFiles("test")
      .filter((file) => file.endsWith(".ts") && file !== "test/domain/house/waits.test.ts")
      .flatMap((file) => {
        const waits = shortWaits(readFileSync(join(ROOT, file), "utf8")).filter((ms) => !TESTED[file]?.includes(ms));
        return waits.map((ms) => `${file}: ${ms} ms`);
      });
    expect(short).toEqual([]);
  });

  it("leaves a fake clock where it is, whether the answer comes late or at a later look", async () => {
    vi.useFakeTimers({ now: 0, toFake: ["Date"] });
    let looks = 0;
    await vi.waitFor(async () => {
      await vi.waitFor(() => expect(++looks % 2).toBe(0));
      expect(looks).toBe(4);
    });
    expect(Date.now()).toBe(0);
  });

  it("in workerd is no `expect.poll`, which moves a fake clock on", () => {
    const polling = trackedFiles("test/worker").filter(
      (file) => file !== "" && readFileSync(join(ROOT, file), "utf8").includes("expect.poll("),
    );
    expect(polling).toEqual([]);
  });
});
