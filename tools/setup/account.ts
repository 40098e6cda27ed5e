// Prepares the Cloudflare account: checks the login and Docker, and creates the database and bucket.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { type Configuration, CONFIGURATION, NO_DATABASE_ID } from "./configuration.ts";
import { SetupProblem } from "./problem.ts";
import { jsonIn, lastLines, mustRun, type Wrangler } from "./wrangler.ts";

const LOGIN = "Run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN, and run setup again.";

const WhoAmI = z.object({ loggedIn: z.boolean(), accounts: z.array(z.object({ id: z.string(), name: z.string() })).optional() });
const Databases = z.array(z.object({ uuid: z.string(), name: z.string() }));
const Names = z.array(z.object({ results: z.array(z.object({ name: z.string() })) }));
/** `object_count` may contain separators, such as "1,234". */
const BucketInfo = z.object({ object_count: z.string().optional() });

const MIGRATIONS = fileURLToPath(new URL("../../migrations", import.meta.url));

export async function checkLogin(wrangler: Wrangler): Promise<string> {
  const ran = await wrangler(["whoami", "--json"]);
  const said = ran.stdout.includes("{") ? jsonIn(ran.stdout, WhoAmI) : { loggedIn: false, accounts: [] };
  if (!said.loggedIn) throw new SetupProblem("wrangler is not logged in to Cloudflare", LOGIN);
  const accounts = said.accounts ?? [];
  const chosen = process.env["CLOUDFLARE_ACCOUNT_ID"];
  const known = chosen === undefined ? accounts : accounts.filter(({ id }) => id === chosen);
  const listed = accounts.map(({ id, name }) => `${id} (${name})`).join(", ");
  if (known.length === 0)
    throw new SetupProblem(`this login has no account ${chosen ?? ""}`.trim(), `It has: ${listed || "none"}. ${LOGIN}`);
  if (known.length > 1) throw new SetupProblem("this login has several accounts", `Set CLOUDFLARE_ACCOUNT_ID to one of: ${listed}`);
  return known[0]?.name ?? "";
}

/** `isOurs` means that the configuration names this database, or that it has a gateway's tables. Other databases are new or empty. */
type FoundDatabase = { id: string; isNew: boolean; isOurs: boolean };

export async function ensureDatabase(
  wrangler: Wrangler,
  name: string,
  { databaseId }: Pick<Configuration, "databaseId">,
  location: string,
): Promise<FoundDatabase> {
  const list = async () => jsonIn(await mustRun(wrangler, ["d1", "list", "--json"], LOGIN), Databases);
  const before = await list();
  if (databaseId !== NO_DATABASE_ID) {
    const own = before.find(({ uuid }) => uuid === databaseId);
    if (own?.name === name) return { id: own.uuid, isNew: false, isOurs: true };
    throw new SetupProblem(
      own === undefined ? `database_id ${databaseId} is not in this account` : `database_id ${databaseId} is "${own.name}", not "${name}"`,
      `Is this the right login? For a new database set database_id to ${NO_DATABASE_ID}.`,
    );
  }
  const known = before.find((database) => database.name === name);
  if (known !== undefined) return { id: known.uuid, isNew: false, isOurs: await isOurs(wrangler, known) };
  await mustRun(
    wrangler,
    ["d1", "create", name, "--location", location],
    "Is D1 enabled for this account, and below its number of databases?",
  );
  const made = (await list()).find((database) => database.name === name);
  if (made === undefined) throw new SetupProblem(`the new database ${name} is not listed`, "Run setup again in a minute.");
  return { id: made.uuid, isNew: true, isOurs: false };
}

/** Returns whether the database has a gateway's tables. Throws if it has only other tables, because they belong to another program. */
async function isOurs(wrangler: Wrangler, { uuid, name }: { uuid: string; name: string }): Promise<boolean> {
  const namesOf = async (statement: string) => {
    // Names the database by its id, because wrangler takes a name's id from the configuration, which has none yet.
    const stdout = await mustRun(wrangler, ["d1", "execute", uuid, "--remote", "--json", "--command", statement], LOGIN);
    return jsonIn(stdout, Names).flatMap(({ results }) => results.map((row) => row.name));
  };
  const tables = await namesOf("SELECT name FROM sqlite_master WHERE type = 'table'");
  const applied = tables.includes("d1_migrations") ? await namesOf("SELECT name FROM d1_migrations") : [];
  const ours = new Set(readdirSync(MIGRATIONS));
  if (applied.some((migration) => ours.has(migration))) return true;
  const foreign = tables.find((table) => table !== "d1_migrations" && !/^(sqlite|_cf)_/.test(table));
  if (foreign === undefined) return false;
  throw new SetupProblem(
    `the database ${name} belongs to another program: it has a table ${foreign}, but none of this gateway's migrations`,
    `Choose another --name, or database_name in ${CONFIGURATION}. To use it anyway, write its database_id there: ${uuid}`,
  );
}

/** `mustBeEmpty` refuses an existing bucket with files, in which the rule below would delete. */
export async function ensureBucket(wrangler: Wrangler, name: string, location: string, mustBeEmpty: boolean): Promise<boolean> {
  const info = await wrangler(["r2", "bucket", "info", name, "--json"]);
  if (info.ok) {
    const { object_count: files = "0" } = mustBeEmpty ? jsonIn(info.stdout, BucketInfo) : {};
    if (!/[1-9]/.test(files)) return false;
    throw new SetupProblem(
      `the bucket ${name} has ${files} files, although the gateway's database is new`,
      `Choose another --name, or bucket_name in ${CONFIGURATION}. To use it anyway, write database_id there (npx wrangler d1 list).`,
    );
  }
  const ran = await wrangler(["r2", "bucket", "create", name, "--location", location]);
  if (ran.ok) return true;
  throw new SetupProblem(
    `the bucket ${name} could not be created:\n${lastLines(ran)}`,
    'R2 has to be enabled once: dashboard, "R2 object storage".',
  );
}

const MEDIA_RULE = "expired-media";
/** Longer than any file is kept. A send may wait 372 days, and its file is kept for up to 30 days after that. */
const MEDIA_RULE_DAYS = 410;

/** Makes the bucket delete files that nothing else has deleted. */
export async function ensureMediaRule(wrangler: Wrangler, bucket: string): Promise<boolean> {
  const rule = ["r2", "bucket", "lifecycle"];
  const remedy = 'docs/operate/deployment.md, "Deploying by hand", has the command.';
  if ((await mustRun(wrangler, [...rule, "list", bucket], remedy)).includes(MEDIA_RULE)) return false;
  await mustRun(wrangler, [...rule, "add", bucket, MEDIA_RULE, "media/", "--expire-days", `${MEDIA_RULE_DAYS}`, "--force"], remedy);
  return true;
}

/** Docker is needed to build the bridges' image. */
export async function checkDocker(): Promise<void> {
  const program = process.env["WRANGLER_DOCKER_BIN"] ?? "docker";
  const child = spawn(program, ["info"], { stdio: "ignore" });
  const answers = await Promise.race([once(child, "exit").then(([code]) => code === 0), once(child, "error").then(() => false)]).catch(
    () => false,
  );
  if (!answers) {
    throw new SetupProblem(
      `\`${program} info\` does not answer, and Docker builds the session bridges' image`,
      'Start Docker, or run bridges elsewhere: --bridge external (docs/operate/deployment.md, "Session bridges").',
    );
  }
}
