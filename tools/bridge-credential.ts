// Prints a bridge's credential. Run it as `npm run bridge:credential -- ID [--pool REGION/K] [--secrets FILE]`.
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { parseArgs, parseEnv } from "node:util";
import { isShard } from "@gateway/domain/fleet/shards.ts";
import { makeBridgeCredential } from "@gateway/domain/keys/bridge-credential.ts";
import { DEFAULT_POOL } from "@gateway/protocol/internal-http.ts";
import { readSecrets } from "@gateway/domain/keys/secrets.ts";

const USAGE =
  "usage: npm run bridge:credential -- ID [--pool REGION/K] [--secrets FILE], or with the worker's BRIDGE_SECRET in the environment or on standard input";
const ID = /^[\w.-]{1,100}$/;

const { id, file, pool } = given();
const secrets = readSecrets(file === undefined ? (process.env["BRIDGE_SECRET"] ?? (await text(process.stdin))) : secretIn(file));
if (!secrets.ok) leave(`BRIDGE_SECRET: ${secrets.problem}`);
process.stdout.write(`${makeBridgeCredential(secrets.secrets, id, pool)}\n`);

function given(): { id: string; file: string | undefined; pool: string | undefined } {
  try {
    const { values, positionals } = parseArgs({
      options: { secrets: { type: "string" }, pool: { type: "string" } },
      allowPositionals: true,
    });
    const [id, ...rest] = positionals;
    const { secrets: file, pool } = values;
    const isPool = pool === undefined || pool === DEFAULT_POOL || isShard(pool);
    if (id !== undefined && rest.length === 0 && ID.test(id) && isPool) return { id, file, pool };
  } catch {
    // `parseArgs` throws for an unknown flag.
  }
  leave(USAGE);
}

function secretIn(file: string): string {
  try {
    return parseEnv(readFileSync(file, "utf8"))["BRIDGE_SECRET"] ?? leave(`${file} has no BRIDGE_SECRET`);
  } catch (error) {
    leave(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`);
  }
}

function leave(problem: string): never {
  process.stderr.write(`${problem}\n`);
  process.exit(2);
}
