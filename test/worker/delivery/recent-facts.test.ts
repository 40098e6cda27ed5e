// The latest events, from which streams resume.
import { expect, it } from "vitest";
import { RecentFacts } from "#root/durable-objects/connection/streams/recent-facts.ts";
import type { GatewayFact } from "@gateway/domain/gateway-event.ts";

const UUID = "0189a5b2-7c3d-7e4f-8a9b-0c1d2e3f4a5b";
const NOW = 1_900_000_000_000;
const fact = (key: string): GatewayFact => ({
  key,
  at: NOW / 1000,
  event: { type: "call", call_id: key, status: "missed", from: { phone: "5511900000002", lid: null }, video: false, group: false } as never,
});
const missedKeys = (recent: RecentFacts, id: string) => recent.after(id)?.map(({ fact: { key }, skip }) => [key, skip]) ?? null;

it("a stream resumes after any kept event, and after the last one before the object was evicted", () => {
  const recent = new RecentFacts(UUID, 5);
  const before = recent.latestId;
  recent.add([fact("A"), fact("B")], NOW);
  const middle = recent.latestId;
  const [last] = recent.add([fact("C")], NOW + 1000);
  expect(missedKeys(recent, before)).toEqual([
    ["A", 0],
    ["B", 0],
    ["C", 0],
  ]);
  expect(missedKeys(recent, middle)).toEqual([["C", 0]]);
  expect(missedKeys(recent, recent.idOf(last?.number ?? 0, 0, 3))).toEqual([["C", 1]]);
  expect(missedKeys(recent, recent.latestId)).toEqual([]);
  expect(missedKeys(new RecentFacts(UUID, last?.number ?? 0), recent.latestId)).toEqual([]);
});

it("events beyond the newest hundred are unknown", () => {
  const recent = new RecentFacts(UUID, 0);
  const before = recent.latestId;
  recent.add([fact("A")], NOW);
  const first = recent.latestId;
  recent.add(
    Array.from({ length: 100 }, (_, n) => fact(`M${n}`)),
    NOW,
  );
  expect(missedKeys(recent, before)).toBeNull();
  expect(missedKeys(recent, first)).toHaveLength(100);
});

it("the stored number is the one that the events get", () => {
  const recent = new RecentFacts(UUID, 0);
  for (const count of [2, 1]) {
    const newest = recent.newestOf(count, NOW);
    expect(
      recent
        .add(
          Array.from({ length: count }, () => fact("A")),
          NOW,
        )
        .at(-1)?.number,
    ).toBe(newest);
  }
  expect(recent.newestOf(0, NOW)).toBe(0);
});

it("an id from after the backup that the object was restored from is unknown, however many events follow", () => {
  const backup = new RecentFacts(UUID, 0).newestOf(3, NOW);
  const lost = new RecentFacts(UUID, backup);
  lost.add([fact("A"), fact("B")], NOW + 1000);
  const restored = new RecentFacts(UUID, backup);
  for (let n = 0; n < 5; n += 1) {
    expect(missedKeys(restored, lost.latestId), String(n)).toBeNull();
    restored.add([fact(`C${n}`)], NOW + 60_000);
  }
});
