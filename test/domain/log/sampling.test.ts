// Routine lines are sampled; related lines stay together (docs/operate/log-events.md, "Log events").
import { expect, it } from "vitest";
import { formatLogLine } from "#root/src/log.ts";

const NOON = Date.UTC(2035, 0, 1, 12);
const CONNECTIONS = Array.from({ length: 20_000 }, (_, number) => `0189a5b2-7c3d-7e4f-8a9b-${number.toString(16).padStart(12, "0")}`);

const taken = (share: number, at: number) => CONNECTIONS.filter((key) => formatLogLine("request", {}, { share, key, at }) !== null);

it.each([0.5, 0.01])("sampling keeps a share of %d, and says so in the line", (share) => {
  const count = taken(share, NOON).length / CONNECTIONS.length;
  expect(count).toBeGreaterThan(share * 0.8);
  expect(count).toBeLessThan(share * 1.2);
  const [key = ""] = taken(share, NOON);
  expect(formatLogLine("request", { ms: 3 }, { share, key, at: NOON })).toBe(`{"event":"request","ms":3,"sample":${share}}`);
});

it("sampling keeps all lines of a connection and minute, or none, and others in the next minute", () => {
  const atNoon = taken(0.1, NOON);
  expect(taken(0.1, NOON + 59_999)).toEqual(atNoon);
  const after = taken(0.1, NOON + 60_000);
  const both = after.filter((key) => atNoon.includes(key)).length;
  expect(both).toBeGreaterThan(100);
  expect(both).toBeLessThan(400);
});

it("sampling keeps everything or nothing if the setting says so", () => {
  expect(taken(0, NOON)).toEqual([]);
  expect(taken(1, NOON)).toHaveLength(CONNECTIONS.length);
  expect(formatLogLine("request", {}, { share: 1, key: "a", at: NOON })).toBe('{"event":"request"}');
  // A failure is not routine.
  expect(formatLogLine("session.notify_failed", {})).toBe('{"event":"session.notify_failed"}');
});
