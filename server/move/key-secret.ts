// Lets a moved connection's API keys work here: their tags were made with the other machine's KEY_SECRET.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { IMPLIED_KID, secretText, type VersionedSecrets } from "@gateway/domain/keys/secrets.ts";
import { writeAtomically } from "../files.ts";
import { secretsIn } from "./sealing.ts";

const NAME = "KEY_SECRET";

/** Returns false if a number is taken by another secret, so that keys made with that entry cannot work here. */
export function adoptKeySecret(dataFolder: string, theirs: string): boolean {
  const file = join(dataFolder, "secrets.env");
  const text = readFileSync(file, "utf8");
  const own = secretsIn(parseEnv(text)[NAME] ?? "", NAME);
  const missing = [...secretsIn(theirs, NAME)].filter(([kid]) => !own.has(kid));
  if (missing.length > 0) {
    const line = `${NAME}="${written(new Map([...own, ...missing]))}"`;
    writeAtomically(
      file,
      text.replace(/^KEY_SECRET=.*$/m, () => line),
    );
  }
  return [...secretsIn(theirs, NAME)].every(([kid, secret]) => secretText((own.get(kid) ?? secret) as Uint8Array) === secretText(secret));
}

function written(secrets: VersionedSecrets): string {
  const [only] = secrets;
  if (secrets.size === 1 && only?.[0] === IMPLIED_KID) return secretText(only[1]);
  return [...secrets].map(([kid, secret]) => `${kid}:${secretText(secret)}`).join(" ");
}
