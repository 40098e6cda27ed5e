// Lets a moved connection's API keys work here. They were signed with the other gateway's KEY_SECRET.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { mergedSecret } from "@gateway/domain/moving/merged-secret.ts";
import { writeAtomically } from "../files.ts";
import { secretsIn } from "./sealing.ts";

const NAME = "KEY_SECRET";

/** Returns false if a different secret here has the same entry number, so that keys signed with the other machine's secret cannot work. */
export function adoptKeySecret(dataFolder: string, theirs: string): boolean {
  const file = join(dataFolder, "secrets.env");
  const text = readFileSync(file, "utf8");
  const { merged, keysWork } = mergedSecret(secretsIn(parseEnv(text)[NAME] ?? "", NAME), secretsIn(theirs, NAME));
  if (merged !== null) {
    const line = `${NAME}="${merged}"`;
    writeAtomically(
      file,
      text.replace(/^KEY_SECRET=.*$/m, () => line),
    );
  }
  return keysWork;
}
