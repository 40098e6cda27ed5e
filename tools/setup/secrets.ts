// The four secrets of a deployment. Cloudflare never shows them again, so a copy is written to a file first. Existing secrets are never
// replaced, because everything that they sign and encrypt would be lost.
import { randomBytes } from "node:crypto";
import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { parseEnv } from "node:util";
import * as z from "zod";
import { readSecrets } from "@gateway/domain/keys/secrets.ts";
import { SetupProblem } from "./problem.ts";
import { jsonIn, lastLines, mustRun, type Wrangler } from "./wrangler.ts";

const NAMES = ["KEY_SECRET", "STATE_SECRET", "BRIDGE_SECRET", "AUTH_SECRET"] as const;
type Name = (typeof NAMES)[number];
const BYTES = 48;

/** How wrangler or Cloudflare report that there is no worker. */
const NO_WORKER = /Worker "[^"\n]+"(?: \(env: [^)\n]*\))? not found\.|\[code: (?:10007|10090)\]/;

/**
 * `withDeploy` means that there is no worker yet, so the first deploy sets the secrets. Setting them earlier would create a worker without
 * containers, whose classes could never get any. A first deploy prepares the classes for containers even with `--containers-rollout=none`,
 * and a later deploy with this flag only keeps what it finds.
 */
export type SecretsDone = { put: readonly Name[]; withoutCopy: readonly Name[]; withDeploy: boolean };

/** `file` consists of NAME="value" lines. */
export async function ensureSecrets(wrangler: Wrangler, file: string): Promise<SecretsDone> {
  const set = await namesAtCloudflare(wrangler);
  const there = set ?? new Set();
  const copy = readCopy(file);
  const missing = NAMES.filter((name) => !there.has(name));
  const withoutCopy = NAMES.filter((name) => there.has(name) && copy[name] === undefined);
  if (missing.length === 0) return { put: [], withoutCopy, withDeploy: false };
  const made = missing.filter((name) => copy[name] === undefined);
  if (made.length > 0) writeCopy(file, made);
  if (set === null) return { put: missing, withoutCopy, withDeploy: true };
  const all = readCopy(file);
  const values = Object.fromEntries(missing.map((name) => [name, all[name] ?? ""]));
  await mustRun(wrangler, ["secret", "bulk"], "Run setup again: it puts the same values.", JSON.stringify(values));
  return { put: missing, withoutCopy, withDeploy: false };
}

async function namesAtCloudflare(wrangler: Wrangler): Promise<ReadonlySet<string> | null> {
  const ran = await wrangler(["secret", "list", "--format", "json"]);
  if (ran.ok) return new Set(jsonIn(ran.stdout, z.array(z.object({ name: z.string() }))).map(({ name }) => name));
  if (NO_WORKER.test(`${ran.stdout}\n${ran.stderr}`)) return null;
  throw new SetupProblem(
    `\`wrangler secret list\` failed:\n${lastLines(ran)}`,
    "Nothing was changed. Is the login allowed to edit workers?",
  );
}

/** Throws on unusable values, without printing them. */
function readCopy(file: string): Partial<Record<Name, string>> {
  if (!existsSync(file)) return {};
  chmodSync(file, 0o600);
  const values = parseEnv(readFileSync(file, "utf8"));
  for (const name of NAMES) {
    const value = values[name];
    const read = value === undefined ? null : readSecrets(value);
    if (read !== null && !read.ok) throw new SetupProblem(`${name} in ${file}: ${read.problem}`, "Put the right copy there.");
  }
  return values;
}

function writeCopy(file: string, names: readonly Name[]): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const before = existsSync(file) ? `${readFileSync(file, "utf8").trimEnd()}\n` : "";
  const lines = names.map((name) => `${name}="${randomBytes(BYTES).toString("base64url")}"\n`);
  const open = openSync(`${file}.new`, "w", 0o600);
  writeSync(open, before + lines.join(""));
  fsyncSync(open);
  closeSync(open);
  renameSync(`${file}.new`, file);
}
