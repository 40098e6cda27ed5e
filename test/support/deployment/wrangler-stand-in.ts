// A fake Cloudflare account for `npm run setup` (SETUP_WRANGLER). Its databases, buckets and secrets live in the folder STAND_IN. Local
// operations (migrations, statements, the build) still go to the real wrangler, against the local runtime.
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs, parseEnv } from "node:util";
import { type Account, changeAccount, readAccount } from "./account.ts";

const folder = process.env["STAND_IN"] ?? "";
const account = () => readAccount(folder);
const change = (by: (account: Account) => void) => {
  const now = account();
  by(now);
  changeAccount(folder, now);
};
const say = (value: unknown) => process.stdout.write(`${typeof value === "string" ? value : JSON.stringify(value)}\n`);
const fail = (problem: string): never => {
  process.stderr.write(`✘ [ERROR] ${problem}\n`);
  process.exit(1);
};

const args = process.argv.slice(2);
appendFileSync(join(folder, "commands.log"), `${args.join(" ")}\n`);
// Setup names the environment in every command; production has an empty name.
if (!/^--env=(staging)?$/.test(args.at(-1) ?? "")) fail("setup names no environment");
const environment = args.at(-1) === "--env=staging" ? "staging" : "production";
const { positionals, values } = parseArgs({ args, strict: false, allowPositionals: true });
const [one, two, three, four] = positionals;
const command = `${one} ${two ?? ""}`.trim();

/** Runs the real wrangler in the clone's folder, with `local` in place of the account. */
function wrangler(...given: string[]): void {
  const env = { ...process.env, WRANGLER_LOG_PATH: join(folder, "logs"), CLOUDFLARE_CF_FETCH_ENABLED: "false" };
  const options = { env, encoding: "utf8" } as const;
  const run = () => spawnSync(process.execPath, ["node_modules/wrangler/bin/wrangler.js", ...given], options);
  let ran = run();
  // Worker and wrangler share one database file here, so it can be locked. Cloudflare's database has no such conflict.
  for (let attempt = 1; ran.status !== 0 && /SQLITE_BUSY/.test(ran.stdout + ran.stderr) && attempt < 5; attempt += 1) ran = run();
  process.stdout.write(ran.stdout);
  process.stderr.write(ran.stderr);
  if (ran.status !== 0) process.exit(ran.status ?? 1);
}
const locally = (given: readonly string[]) =>
  given.flatMap((word) => (word === "--remote" ? ["--local", "--persist-to", join(folder, "state")] : [word]));

/** Locations that wrangler accepts for both services. */
const STORAGE_LOCATIONS = new Set(["weur", "eeur", "apac", "oc", "wnam", "enam"]);
function location(): string {
  const given = args[args.indexOf("--location") + 1] ?? "";
  return args.includes("--location") && STORAGE_LOCATIONS.has(given) ? given : fail(`Invalid values: location: "${given}"`);
}

if (account().failing === command) fail(`${command} does not work today [code: 10000]`);
if (command === "whoami") {
  say({ loggedIn: account().loggedIn, accounts: account().loggedIn ? [{ id: "a1", name: "Shop" }] : [] });
  if (!account().loggedIn) process.exit(1);
} else if (command === "d1 list") {
  say(account().databases);
} else if (command === "d1 create") {
  const name = three ?? "";
  if (account().databases.some((known) => known.name === name)) fail("A database with that name already exists [code: 7502]");
  const made = `${name}: ${location()}`;
  change(({ databases, locations }) => {
    databases.push({ uuid: crypto.randomUUID(), name });
    locations.push(made);
  });
} else if (command === "r2 bucket" && three === "lifecycle") {
  const [, , , , bucket = "", rule = ""] = positionals;
  if (four === "list")
    process.stdout.write(
      account()
        .rules.filter((known) => known.startsWith(`${bucket}: `))
        .join("\n"),
    );
  else change(({ rules }) => rules.push(`${bucket}: ${rule}`));
} else if (command === "r2 bucket") {
  const name = four ?? "";
  const known = account().buckets.includes(name);
  if (three === "info" && !known) fail("The specified bucket does not exist. [code: 10006]");
  if (three === "create" && known) fail("The bucket you tried to create already exists. [code: 10004]");
  if (three !== "create") process.exit(0);
  const made = `${name}: ${location()}`;
  change(({ buckets, locations }) => {
    buckets.push(name);
    locations.push(made);
  });
} else if (command === "secret list") {
  const { secrets } = account();
  if (secrets[environment] === undefined) fail('Worker "gateway" not found.');
  say(Object.keys(secrets[environment] ?? {}).map((name) => ({ name, type: "secret_text" })));
} else if (command === "secret bulk") {
  if (account().secrets[environment] === undefined) fail("this creates a worker without containers");
  const given = JSON.parse(readFileSync(0, "utf8")) as Record<string, string>;
  change(({ secrets }) => (secrets[environment] = { ...secrets[environment], ...given }));
} else if (command === "d1 migrations" || command === "d1 execute") {
  if (values["remote"] !== true) fail("setup means the deployment's database");
  wrangler(...locally(args));
} else if (one === "deploy") {
  const out = join(folder, "build");
  const secretsFile = values["secrets-file"];
  if (typeof secretsFile === "string") {
    if (account().secrets[environment] !== undefined) fail("the deployment has secrets already");
    change(({ secrets }) => (secrets[environment] = { ...parseEnv(readFileSync(secretsFile, "utf8")) } as Record<string, string>));
  }
  // A worker created without containers can never get any.
  else if (account().secrets[environment] === undefined) fail("the first deploy brings no secrets");
  // Skips an identical second build, which would take longer than everything else.
  if (environment === "production" && account().deploys > 0) process.exit(0);
  const containers = args.some((word) => word.startsWith("--containers-rollout")) ? [] : ["--containers-rollout=none"];
  wrangler(...args, ...containers, "--dry-run", "--outdir", out);
  if (!existsSync(join(out, "worker.js"))) fail("nothing was built");
  change((now) => (now.deploys += 1));
} else fail(`the stand-in does not know ${command}`);
