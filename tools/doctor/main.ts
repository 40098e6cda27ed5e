// `npm run doctor -- URL` (docs/operate/doctor.md, "Checks from outside").
import { readFileSync } from "node:fs";
import { askAt } from "./ask.ts";
import { diagnose } from "./diagnose.ts";
import { HELP, readOptions } from "./options.ts";

const print = (text: string) => void process.stdout.write(`${text}\n`);

async function examine({ url, key }: { url: string; key: string }): Promise<number> {
  const { problems, checks } = await diagnose(askAt(url), key, () => Date.now());
  for (const { what, remedy } of problems) print(`${what} → ${remedy}`);
  if (problems.length === 0) print(`${url} is healthy: ${checks} checks passed`);
  return problems.length === 0 ? 0 : 1;
}

const options = readOptions(process.argv.slice(2), process.env, (file) => readFileSync(file, "utf8"));
if (!options.ok) {
  process.stderr.write(`${options.problem}\n\n${HELP}\n`);
  process.exitCode = 2;
} else if (options.given === null) print(HELP);
else process.exitCode = await examine(options.given);
