// Crashes caused by tests print nothing, so that a run's output shows only unexpected ones.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** Arguments of crashes in the text, except the one that the test runtime ignores. */
function loudCrashes(text: string): string[] {
  return [...text.matchAll(/\b(?:state|ctx)\.abort\(([^)]*)\)/g)].map(([, reason = ""]) => reason).filter((reason) => reason !== "CRASH");
}

describe("a crash of an object", () => {
  it("is found in every form in which it is written", () => {
    expect(loudCrashes('runInDurableObject(guard, (_object, state) => state.abort("crash"))')).toEqual(['"crash"']);
    expect(loudCrashes("this.ctx.abort()")).toEqual([""]);
    expect(loudCrashes("this.ctx.abort(CRASH)")).toEqual([]);
  });

  it("has the reason of test/worker/support/crash.ts", () => {
    const files = execFileSync("git", ["ls-files", "test/worker"], { cwd: ROOT, encoding: "utf8" }).split("\n");
    const loud = files
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => loudCrashes(readFileSync(join(ROOT, file), "utf8")).map((reason) => `${file}: ${reason}`));
    expect(loud).toEqual([]);
  });
});
