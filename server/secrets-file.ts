// Secrets that this machine generated for itself, in the format of wrangler's `.dev.vars`.
import { randomBytes, randomInt } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { makeBridgeCredential } from "@gateway/domain/keys/bridge-credential.ts";
import { readSecrets } from "@gateway/domain/keys/secrets.ts";
import { writeAtomically } from "./files.ts";

const KIDS = 256;

/** Each secret's name, and its length in random bytes. */
type Lengths = Readonly<Record<string, number>>;

/** Adds only missing entries. `numbered` secrets get a random entry number, so that they can be combined with another machine's. */
export function createSecrets(file: string, lengths: Lengths, numbered: readonly string[] = []): void {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const known = parseEnv(text);
  const added = Object.entries(lengths).filter(([name]) => known[name] === undefined);
  const numberOf = (name: string) => (numbered.includes(name) ? `${randomInt(KIDS)}:` : "");
  const lines = added.map(([name, bytes]) => `${name}="${numberOf(name)}${randomBytes(bytes).toString("base64url")}"`);
  if (lines.length > 0) writeAtomically(file, [text.trimEnd(), ...lines].filter((part) => part !== "").join("\n") + "\n");
}

/** Throws if a secret is missing, because a new value would invalidate the keys and sessions that depend on the old one. */
export function readSecretsFile<L extends Lengths>(file: string, lengths: L): Record<keyof L, string> {
  const known = parseEnv(readFileSync(file, "utf8"));
  for (const name of Object.keys(lengths)) if (!known[name]) throw new Error(`${name} is missing in ${file}`);
  return known as Record<keyof L, string>;
}

/** Throws if the secret is malformed. */
export function bridgeCredential(setting: string, bridge: string): string {
  const read = readSecrets(setting);
  if (!read.ok) throw new Error(`BRIDGE_SECRET: ${read.problem}`);
  return makeBridgeCredential(read.secrets, bridge);
}
