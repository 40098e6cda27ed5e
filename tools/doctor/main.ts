// `npm run doctor -- URL` checks a deployment from outside (docs/operate/doctor.md, "Checks from outside").
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { askAt } from "./ask.ts";
import { baseImageProblem } from "./base-image.ts";
import { diagnose } from "./diagnose.ts";
import { HELP, readOptions } from "./options.ts";

const ofClone = (file: string) => readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), "utf8");
const print = (text: string) => void process.stdout.write(`${text}\n`);

async function examine({ url, key }: { url: string; key: string }): Promise<number> {
  const diagnosis = await diagnose(askAt(url), key, () => Date.now());
  const image = baseImageProblem(ofClone("wrangler.toml"), ofClone("session-bridge/Dockerfile"), url);
  const problems = [...diagnosis.problems, ...(image === null ? [] : [image])];
  for (const { what, remedy } of problems) print(`${what} → ${remedy}`);
  if (problems.length === 0) print(`${url} is healthy: ${diagnosis.checks + 1} checks passed`);
  return problems.length === 0 ? 0 : 1;
}

const options = readOptions(process.argv.slice(2), process.env, (file) => readFileSync(file, "utf8"));
if (!options.ok) {
  process.stderr.write(`${options.problem}\n\n${HELP}\n`);
  process.exitCode = 2;
} else if (options.given === null) print(HELP);
else process.exitCode = await examine(options.given);
