// Checks that only the deployment itself can make, for administrators (docs/operate/doctor.md, "Self-check").
import { sql } from "drizzle-orm";
import {
  alarmProblem,
  bridgeProblem,
  capacityProblem,
  type Check,
  type CheckName,
  clockProblem,
  cronProblem,
  type MachineReport,
  mailProblem,
  placeholderProblem,
  versionProblem,
} from "@gateway/domain/fleet/self-check.ts";
import { locationOf } from "@gateway/domain/fleet/locations.ts";
import { databaseOf } from "../../db/database.ts";
import { type Env, settingsOf } from "../../env.ts";
import { errorFields } from "../../log.ts";
import { allPools, wholeFleet } from "../bridges/pools.ts";
import { mailFailure } from "../mail/failures.ts";
import { inTime } from "../object-calls.ts";
import { cronRuns } from "../watchdog/cron-runs.ts";
import { migrationsProblem } from "./migrations.ts";

/** Shorter than a caller's timeout, so that a part that hangs fails only its own check. */
const CHECK_MS = 5_000;
const DETAIL_CHARACTERS = 300;

export async function selfCheck(env: Env, crons: readonly string[], now: number): Promise<Check[]> {
  const settings = settingsOf(env);
  const fleet = inTime(wholeFleet(env), CHECK_MS);
  const pools = inTime(allPools(env, CHECK_MS), CHECK_MS);
  const bridges = pools.then((all) => all.flatMap((pool) => pool.bridges));
  // Prevents unhandled rejections: several checks await these promises, and each reports the failure.
  fleet.catch(() => undefined);
  pools.catch(() => undefined);
  bridges.catch(() => undefined);
  const checks: Record<CheckName, () => Promise<string | null>> = {
    settings: async () => placeholderProblem(settings),
    database: () => answers(databaseOf(env.DB).run(sql`SELECT 1`)),
    migrations: () => migrationsProblem(env.DB),
    clock: async () => clockProblem(Date.now(), await databaseTime(env)),
    files: () => answers(env.MEDIA.head("self-check")),
    pages: () => pageProblem(env, settings.APP_URL),
    crons: async () => cronProblem(crons, await cronRuns(env.DB), now),
    pools: () => answers(pools),
    bridges: async () => bridgeProblem(await bridges),
    // If the pools do not respond, the `pools` check reports it.
    capacity: async () => capacityProblem(await pools.catch(() => [])),
    versions: async () => versionProblem(await bridges, (await fleet).rollout !== null),
    containers: async () => (settings.BRIDGE_HOST === "cloudflare" && bridgeProblem(await bridges) !== null ? containerProblem(env) : null),
    mail: async () => mailProblem(await mailFailure(env.DB)),
    alarms: async () => alarmProblem((await fleet).alarms),
    disk: () => machineProblem(env, "disk"),
    backups: () => machineProblem(env, "backups"),
  };
  return Promise.all(
    Object.entries(checks).map(async ([name, check]): Promise<Check> => {
      const detail = await inTime(check(), CHECK_MS).catch((error: unknown) => errorFields(error).message);
      return { name: name as CheckName, ok: detail === null, detail: detail?.slice(0, DETAIL_CHARACTERS) ?? null };
    }),
  );
}

async function answers(question: Promise<unknown>): Promise<null> {
  await question;
  return null;
}

async function databaseTime(env: Env): Promise<number> {
  const [row] = await databaseOf(env.DB).all<{ now: number }>(sql`SELECT unixepoch('subsec') * 1000 AS now`);
  return row?.now ?? 0;
}

async function pageProblem({ ASSETS }: Env, appUrl: string): Promise<string | null> {
  if (ASSETS === undefined) return "the binding ASSETS is missing";
  const { status } = await ASSETS.fetch(new Request(`${appUrl}/`));
  return status === 200 ? null : `the dashboard's first page answers ${status}`;
}

/** Null at the edge, which has no disk and no backups. */
async function machineProblem({ MACHINE }: Env, part: keyof MachineReport): Promise<string | null> {
  const response = await MACHINE?.fetch("http://machine/");
  return (await response?.json<MachineReport>())?.[part] ?? null;
}

/** Calls the first container's object. Its constructor throws if its class is not configured for containers. */
async function containerProblem({ BRIDGE_CONTAINER, REGION }: Partial<Env>): Promise<string | null> {
  if (BRIDGE_CONTAINER === undefined) return "the binding BRIDGE_CONTAINER is missing";
  const locationHint = locationOf(null, REGION);
  const first = BRIDGE_CONTAINER.getByName("bridge-0", locationHint === null ? {} : { locationHint });
  await (first as unknown as { getState(): Promise<unknown> }).getState();
  return null;
}
