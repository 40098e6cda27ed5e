// Sessions that belong to a build with a limited share.
import { expect, it } from "vitest";
import { belongsToBuild, isTakenBack, troubleOfBuild } from "@gateway/domain/fleet/rollout.ts";

const sessions = Array.from({ length: 20_000 }, (_, n) => `00000000-0000-4000-8000-${String(n * 7_919).padStart(12, "0")}`);
const sharing = (percent: number, connections: string[] = []) =>
  sessions.filter((connection) => belongsToBuild({ build: "b", percent, connections }, connection));

it("a share of sessions is as large as it says, and a larger share contains it", () => {
  const [none, one, ten, all] = [0, 1, 10, 100].map((percent) => sharing(percent)) as [string[], string[], string[], string[]];
  expect(none).toEqual([]);
  expect(one.length / sessions.length).toBeCloseTo(0.01, 2);
  expect(ten.length / sessions.length).toBeCloseTo(0.1, 1);
  expect(all).toHaveLength(sessions.length);
  const inTen = new Set(ten);
  expect(one.every((connection) => inTen.has(connection))).toBe(true);
});

it("named instances belong to a rollout at 0 %, and without them the rollout is withdrawn", () => {
  expect(sharing(0, [sessions[5] ?? ""])).toEqual([sessions[5]]);
  expect(isTakenBack({ build: "b", percent: 0, connections: ["x"] })).toBe(false);
  expect(isTakenBack({ build: "b", percent: 0, connections: [] })).toBe(true);
});

it("a problem of all builds is not blamed on the new one", () => {
  const signal = (code: string, level: number) => ({ kind: "close", code, sessions: 3, level });
  expect(troubleOfBuild([signal("405", 1)], [])).toBe("close 405");
  expect(troubleOfBuild([signal("405", 1)], [signal("405", 0.4)])).toBe("close 405");
  expect(troubleOfBuild([signal("405", 1)], [signal("405", 2)])).toBeNull();
  expect(troubleOfBuild([signal("405", 0.9)], [])).toBeNull();
});
