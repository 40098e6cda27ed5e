// The self-check's result for given facts.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import {
  alarmProblem,
  bridgeProblem,
  capacityProblem,
  clockProblem,
  cronProblem,
  mailProblem,
  migrationProblem,
  placeholderProblem,
  RELEASE,
  versionProblem,
} from "@gateway/domain/fleet/self-check.ts";
import { versionOf } from "#root/session-bridge/build.ts";

const NOW = Date.UTC(2030, 0, 1);
const MINUTE = 60_000;

it("worker and bridge have the release of package.json", () => {
  const file = fileURLToPath(new URL("../../../package.json", import.meta.url));
  expect(RELEASE).toBe((JSON.parse(readFileSync(file, "utf8")) as { version: string }).version);
  expect(versionOf().split(" ")[0]).toBe(RELEASE);
});

it("addresses that are still examples are reported", () => {
  const real = { APP_URL: "https://gw.shop.dev", BASE_URL: "https://api.shop.dev", MAIL_FROM: "gw@shop.dev" };
  expect(placeholderProblem(real)).toBeNull();
  expect(placeholderProblem({ ...real, MAIL_FROM: "gateway@example.com" })).toBe("still an example: MAIL_FROM = gateway@example.com");
});

it("migrations that were not applied are reported", () => {
  expect(migrationProblem(["0000_a.sql"], ["0000_a.sql", "0001_newer.sql"])).toBeNull();
  expect(migrationProblem(["0000_a.sql", "0001_b.sql"], ["0000_a.sql"])).toBe("not applied: 0001_b.sql");
  expect(migrationProblem(["0000_a.sql"], null)).toBe("no migration was applied");
});

it("a cron counts as dead after a quarter of an hour, and as failing if it only fails", () => {
  const run = (ranAt: number, succeededAt: number | null) => [{ cron: "* * * * *", ranAt, succeededAt }];
  const problem = (runs: ReturnType<typeof run>) => cronProblem(["* * * * *"], runs, NOW);
  expect(problem(run(NOW - 15 * MINUTE, NOW - 15 * MINUTE))).toBeNull();
  expect(problem([])).toBe('"* * * * *" has never run');
  expect(problem(run(NOW - 16 * MINUTE, NOW - 16 * MINUTE))).toBe('"* * * * *" last ran 16 minutes ago');
  expect(problem(run(NOW, null))).toBe('"* * * * *" has never succeeded');
  expect(problem(run(NOW, NOW - 20 * MINUTE))).toBe('"* * * * *" last succeeded 20 minutes ago');
});

const bridge = (change = {}) => ({
  id: "eu-1",
  connected: true,
  draining: false,
  version: `${RELEASE} (baileys 7)`,
  build: "a",
  ...change,
});

it("one bridge that takes sessions is enough; with none, each is reported with its state", () => {
  expect(bridgeProblem([bridge({ connected: false }), bridge()])).toBeNull();
  expect(bridgeProblem([])).toBe("no bridge has connected");
  expect(bridgeProblem([bridge({ draining: true }), bridge({ id: "eu-2", connected: false })])).toBe(
    "no bridge takes sessions: eu-1 is draining, eu-2 is not connected",
  );
});

it("a pool whose bridges are all full is reported, with the number of waiting sessions", () => {
  const loaded = (assigned: number, change = {}) => ({ ...bridge(change), assigned, capacity: 20 });
  const pool = (name: string, bridges: ReturnType<typeof loaded>[], queued = 0) => ({ name, bridges, queued });
  expect(capacityProblem([pool("default", [loaded(20), loaded(19)])])).toBeNull();
  expect(capacityProblem([pool("default", [loaded(20, { connected: false })], 3)])).toBeNull();
  const draining = loaded(0, { draining: true });
  expect(capacityProblem([pool("default", [loaded(1)]), pool("weur/1", [loaded(20), loaded(21), draining], 3)])).toBe(
    "every bridge is full: weur/1 (41 of 40 sessions, 3 waiting)",
  );
});

it("bridges of another release, and two builds without a rollout, are reported", () => {
  expect(versionProblem([bridge(), bridge({ id: "eu-2", connected: false, version: null })], false)).toBeNull();
  expect(versionProblem([bridge({ version: "0.0.9 (baileys 6)" })], false)).toBe(
    `the worker runs ${RELEASE}, but bridge eu-1 runs 0.0.9 (baileys 6)`,
  );
  const two = [bridge(), bridge({ id: "eu-2", build: "b" })];
  expect(versionProblem(two, false)).toBe("bridges run different builds without a rollout: eu-1 runs a, eu-2 runs b");
  expect(versionProblem(two, true)).toBeNull();
});

it("a refused email is reported until one is accepted", () => {
  expect(mailProblem(null)).toBeNull();
  expect(mailProblem({ failedAt: NOW, error: "E_SENDER_NOT_VERIFIED", recoveredAt: null })).toBe(
    "the platform refused the last email: E_SENDER_NOT_VERIFIED",
  );
  expect(mailProblem({ failedAt: NOW, error: "E_SENDER_NOT_VERIFIED", recoveredAt: NOW + 1 })).toBeNull();
});

it("clocks may differ by half a minute", () => {
  expect(clockProblem(NOW, NOW + 30_000)).toBeNull();
  expect(clockProblem(NOW, NOW + 31_000)).toBe("the worker's clock is 31 s behind the database's");
});

it("raised alarms of the fleet are reported", () => {
  expect(alarmProblem([])).toBeNull();
  expect(
    alarmProblem([
      { kind: "close", code: "405" },
      { kind: "away", code: "no_line" },
    ]),
  ).toBe("raised: close 405, away no_line");
});
