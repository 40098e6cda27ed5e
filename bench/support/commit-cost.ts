// The cost of one small durable write on this disk, for comparison with the other figures.
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./figures.ts";

const TIMES = 50;

/** Returns the median in ms. */
export function commitCost(): number {
  const directory = mkdtempSync(join(tmpdir(), "commit-cost-"));
  const file = openSync(join(directory, "file"), "w");
  const page = Buffer.alloc(4_096);
  try {
    return median(
      Array.from({ length: TIMES }, () => {
        const startedAt = performance.now();
        writeSync(file, page);
        fdatasyncSync(file);
        return performance.now() - startedAt;
      }),
    );
  } finally {
    closeSync(file);
    rmSync(directory, { recursive: true });
  }
}
