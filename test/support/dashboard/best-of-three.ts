import { expect } from "vitest";

const TRIES = 3;

/** The best of three tries keeps to the limit, because the machine does other things meanwhile. `measure`: milliseconds of a try, from 0. */
export async function bestOfThree(what: string, limitMs: number, measure: (attempt: number) => Promise<number>): Promise<void> {
  const took: number[] = [];
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const ms = await measure(attempt);
    took.push(ms);
    console.info(`${what}: ${ms.toFixed(0)} ms`);
    if (ms <= limitMs) break;
  }
  expect(Math.min(...took), `${what}: of ${took.map((ms) => ms.toFixed(0)).join(", ")} ms`).toBeLessThanOrEqual(limitMs);
}
