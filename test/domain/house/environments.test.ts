// Staging is identical to production except for names. Environments inherit almost nothing, so a setting not repeated in each is missing.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";

type Read = Record<string, unknown> & {
  vars: Record<string, unknown>;
  d1_databases: { database_id: string }[];
  triggers: { crons: string[] };
};

const config = fileURLToPath(new URL("../../../wrangler.toml", import.meta.url));
const read = (env?: string) =>
  unstable_readConfig({ config, ...(env === undefined ? {} : { env }) }, { hideWarnings: true }) as unknown as Read;

/** Names and addresses of each environment: no two may share one. */
const OWN = new Set(["APP_URL", "BASE_URL", "database_name", "database_id", "bucket_name", "pattern"]);
/** Settings that an operator may choose per environment (`npm run setup`); the repository leaves them open. */
const CHOSEN = new Set([
  "MAIL_FROM",
  "ADMIN_EMAIL",
  "SUBSCRIPTIONS",
  "SUBSCRIPTION_INSTANCES",
  "BRIDGE_HOST",
  "REGION",
  "instance_type",
  "max_instances",
  "POOL_SHARDS",
  "POOL_REHOMED_PER_MINUTE",
  "workers_dev",
]);
/** Fields about reading the file itself. */
const OF_THE_FILE = new Set([
  "targetEnvironment",
  "definedEnvironments",
  "userConfigPath",
  "configPath",
  "topLevelName",
  "topLevelEnvName",
]);

/** All fields by path, except binding names, which do not name resources. */
function fields(value: unknown, path: string[] = []): [string, unknown][] {
  if (value === null || typeof value !== "object") return [[path.join("."), value]];
  return Object.entries(value).flatMap(([key, inner]) => fields(inner, [...path, key]));
}

const lastOf = (path: string) => path.split(".").at(-1) ?? "";
const isOwn = (path: string) => path === "name" || OWN.has(lastOf(path)) || /^containers\.\d+\.name$/.test(path);
const mayDiffer = (path: string) => isOwn(path) || CHOSEN.has(lastOf(path)) || /^(routes|containers\.\d+\.constraints)\./.test(path);

/** Fields that differ but must not. */
function differences(one: Read, other: Read): string[] {
  const [a, b] = [new Map(fields(one)), new Map(fields(other))];
  const paths = [...new Set([...a.keys(), ...b.keys()])].filter((path) => !OF_THE_FILE.has(path.split(".")[0] ?? "") && !mayDiffer(path));
  return paths.filter((path) => a.get(path) !== b.get(path)).toSorted();
}

it("staging has everything of production, with the same values", () => {
  expect(differences(read(), read("staging"))).toEqual([]);
});

it("staging has a value for every variable of production", () => {
  expect(Object.keys(read("staging").vars).toSorted()).toEqual(Object.keys(read().vars).toSorted());
});

it("staging shares no name, address, database or bucket with production", () => {
  const [production, staging] = [new Map(fields(read())), fields(read("staging"))];
  const shared = staging.filter(([path, value]) => isOwn(path) && !/0{12}$/.test(String(value)) && production.get(path) === value);
  expect(shared).toEqual([]);
  // Otherwise staging would inherit production's route, and deploying it would take the route over.
  expect(readFileSync(config, "utf8").split("[env.staging]\n")[1]?.split("\n[")[0]).toMatch(/^routes = /m);
});

it("a variable or a binding that staging lacks is reported", () => {
  const { NETWORK_SUFFIX: _left, ...vars } = read("staging").vars;
  expect(differences(read(), { ...read("staging"), vars })).toEqual(["vars.NETWORK_SUFFIX"]);
  expect(differences(read(), { ...read("staging"), send_email: [] })).toEqual(["send_email.0.name"]);
});

it("each group of the watchdog's tasks has its cron trigger", () => {
  const watch = readFileSync(fileURLToPath(new URL("../../../src/services/watchdog/watch.ts", import.meta.url)), "utf8");
  const groups = [...watch.matchAll(/^  "([^"]+)": \[/gm)].map(([, cron]) => cron);
  expect(groups.length).toBeGreaterThan(1);
  expect(read().triggers.crons).toEqual(groups);
});
