// A million connections over a hundred shards (docs/internals/bridges.md, "Shards of the pool").
import { describe, expect, it } from "vitest";
import { homeOf, inHashOrder, type Shard } from "@gateway/domain/fleet/shards.ts";

const CONNECTIONS = 1_000_000;
const HUNDRED: readonly Shard[] = Array.from({ length: 100 }, (_, k): Shard => `sam/${k + 1}`);

/** Looks like a random UUID but is the same in every run. */
function uuidOf(n: number): string {
  let bits = BigInt(n + 1) * 0x9e3779b97f4a7c15n;
  bits = BigInt.asUintN(64, (bits ^ (bits >> 29n)) * 0xbf58476d1ce4e5b9n);
  const hex = bits.toString(16).padStart(16, "0");
  const rest = n.toString(16).padStart(15, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-8${rest.slice(0, 3)}-${rest.slice(3)}`;
}

describe("a hundred shards", () => {
  it("share a million connections evenly", () => {
    const counts = new Map<string, number>(HUNDRED.map((shard) => [shard, 0]));
    for (let n = 0; n < CONNECTIONS; n++) {
      const home = homeOf(uuidOf(n), "sam", HUNDRED) ?? "none";
      counts.set(home, (counts.get(home) ?? 0) + 1);
    }
    const fullest = Math.max(...counts.values());
    const mean = CONNECTIONS / HUNDRED.length;
    console.log(`fullest of 100 shards: ${fullest} of ${CONNECTIONS}, ${(fullest / mean).toFixed(3)} x the mean`);
    expect(counts.size).toBe(HUNDRED.length);
    expect(fullest).toBeLessThanOrEqual(1.05 * mean);
  });

  it("keep their order for every connection when a shard is added, which takes over connections from several", () => {
    const more: readonly Shard[] = [...HUNDRED, "sam/101"];
    const taken = new Map<Shard, number>();
    for (let n = 0; n < 2_000; n++) {
      const uuid = uuidOf(n);
      const after = inHashOrder(uuid, more);
      expect(after.filter((shard) => shard !== "sam/101")).toEqual(inHashOrder(uuid, HUNDRED));
      if (after[0] === "sam/101") taken.set(after[1] ?? "sam/101", 1);
    }
    expect(taken.size).toBeGreaterThan(5);
  });
});
