import { describe, expect, it } from "vitest";
import type { AppContext } from "#root/src/http/app-env.ts";
import { batchLines } from "#root/src/sandbox/batched-lines.ts";

function world() {
  const written: string[] = [];
  const promises: Promise<unknown>[] = [];
  const executionCtx = { waitUntil: (promise: Promise<unknown>) => void promises.push(promise) };
  const write = batchLines((lines) => written.push(lines));
  // Only this part of the request context is used.
  return { written, promises, write: (line: string) => write(line, { executionCtx } as unknown as AppContext) };
}

describe("the sandbox's request log", () => {
  it("is written in batches, by the first request of each", async () => {
    const { written, promises, write } = world();
    for (const line of ["a", "b", "c"]) write(line);
    expect([written, promises.length]).toEqual([[], 1]);
    await Promise.all(promises);
    expect(written).toEqual(["a\nb\nc"]);
    write("d");
    await Promise.all(promises);
    expect(written).toEqual(["a\nb\nc", "d"]);
  });

  it("is bounded while no request may write", () => {
    const { written, write } = world();
    for (let n = 0; n < 1_200; n += 1) write(String(n));
    expect(written.map((lines) => lines.split("\n").length)).toEqual([500, 500]);
  });
});
