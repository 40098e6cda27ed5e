// Evaluates a deployment's self-check (docs/operate/doctor.md, "Self-check"). Each function returns the problem as a sentence, or null.
import { MINUTE_MS } from "@gateway/protocol/units.ts";

/** The version in package.json. A test checks that both are equal. */
export const RELEASE = "0.1.0";

export const CHECKS = [
  "settings",
  "database",
  "migrations",
  "clock",
  "files",
  "pages",
  "crons",
  "pools",
  "bridges",
  "capacity",
  "versions",
  "containers",
  "mail",
  "alarms",
  "disk",
  "backups",
] as const;
export type CheckName = (typeof CHECKS)[number];

/** Problems that the host of a single machine reports. */
export type MachineReport = Record<"disk" | "backups", string | null>;

export type Check = { name: CheckName; ok: boolean; detail: string | null };

/** Finds the example addresses from the repository's wrangler.toml. */
export function placeholderProblem(settings: Readonly<Record<"APP_URL" | "BASE_URL" | "MAIL_FROM", string>>): string | null {
  const examples = Object.entries(settings).filter(([, value]) => /[@./]example\.com$/.test(value));
  return examples.length === 0 ? null : `still an example: ${examples.map(([name, value]) => `${name} = ${value}`).join(", ")}`;
}

/** `applied` is null if the database has no migrations table. */
export function migrationProblem(expected: readonly string[], applied: readonly string[] | null): string | null {
  if (applied === null) return "no migration was applied";
  const missing = expected.filter((name) => !applied.includes(name));
  return missing.length === 0 ? null : `not applied: ${missing.join(", ")}`;
}

/** Clocks within a data centre differ far less than this, unless a machine was restored or paused. */
const CLOCK_MS = 30_000;

export function clockProblem(worker: number, database: number): string | null {
  const apart = Math.round((worker - database) / 1_000);
  if (Math.abs(worker - database) <= CLOCK_MS) return null;
  return `the worker's clock is ${Math.abs(apart)} s ${apart > 0 ? "ahead of" : "behind"} the database's`;
}

/** A newly deployed cron may take 15 minutes to fire for the first time. */
const CRON_MS = 15 * MINUTE_MS;

export type CronRun = { cron: string; ranAt: number; succeededAt: number | null };

export function cronProblem(crons: readonly string[], runs: readonly CronRun[], now: number): string | null {
  const problems = crons.flatMap((cron) => {
    const run = runs.find((each) => each.cron === cron);
    if (run === undefined) return [`"${cron}" has never run`];
    if (now - run.ranAt > CRON_MS) return [`"${cron}" last ran ${minutes(now - run.ranAt)} ago`];
    const { succeededAt } = run;
    if (succeededAt === null) return [`"${cron}" has never succeeded`];
    return now - succeededAt > CRON_MS ? [`"${cron}" last succeeded ${minutes(now - succeededAt)} ago`] : [];
  });
  return problems.length === 0 ? null : problems.join(", ");
}

const minutes = (ms: number): string => `${Math.round(ms / MINUTE_MS)} minutes`;

export type SeenBridge = { id: string; connected: boolean; draining: boolean; version: string | null; build: string | null };

export function bridgeProblem(bridges: readonly SeenBridge[]): string | null {
  if (bridges.some(({ connected, draining }) => connected && !draining)) return null;
  const away = bridges.map(({ id, draining }) => `${id} ${draining ? "is draining" : "is not connected"}`);
  return away.length === 0 ? "no bridge has connected" : `no bridge takes sessions: ${away.join(", ")}`;
}

/** `queued` counts sessions that wait for a bridge. */
type SeenPool = { name: string; queued: number; bridges: readonly (SeenBridge & { assigned: number; capacity: number })[] };

/** Checks each pool separately, because its sessions cannot use the bridges of another pool. */
export function capacityProblem(pools: readonly SeenPool[]): string | null {
  const full = pools.flatMap(({ name, queued, bridges }) => {
    const usable = bridges.filter(({ connected, draining }) => connected && !draining);
    if (usable.length === 0 || usable.some(({ assigned, capacity }) => assigned < capacity)) return [];
    const sum = (count: (bridge: (typeof usable)[number]) => number) => usable.reduce((total, each) => total + count(each), 0);
    return [`${name} (${sum(({ assigned }) => assigned)} of ${sum(({ capacity }) => capacity)} sessions, ${queued} waiting)`];
  });
  return full.length === 0 ? null : `every bridge is full: ${full.join(", ")}`;
}

/** Two builds running side by side are a problem only outside a rollout. */
export function versionProblem(bridges: readonly SeenBridge[], isRollingOut: boolean): string | null {
  const connected = bridges.filter((bridge) => bridge.connected && !bridge.draining);
  const other = connected.filter(({ version }) => version?.split(" ")[0] !== RELEASE);
  if (other.length > 0) {
    return `the worker runs ${RELEASE}, but ${other.map(({ id, version }) => `bridge ${id} runs ${version ?? "an unknown version"}`).join(", ")}`;
  }
  const builds = new Map(connected.map(({ id, build }) => [build, id]));
  if (builds.size < 2 || isRollingOut) return null;
  return `bridges run different builds without a rollout: ${[...builds].map(([build, id]) => `${id} runs ${build ?? "an unnamed one"}`).join(", ")}`;
}

/** The last email that the platform refused. Times are in Unix ms. `recoveredAt` is when an email was next accepted. */
export type MailFailure = { failedAt: number; error: string; recoveredAt: number | null };

export function mailProblem(failure: MailFailure | null): string | null {
  if (failure === null || (failure.recoveredAt !== null && failure.recoveredAt >= failure.failedAt)) return null;
  return `the platform refused the last email: ${failure.error}`;
}

export function alarmProblem(alarms: readonly { kind: string; code: string }[]): string | null {
  return alarms.length === 0 ? null : `raised: ${alarms.map(({ kind, code }) => `${kind} ${code}`.trim()).join(", ")}`;
}
