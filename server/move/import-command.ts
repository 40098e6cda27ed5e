// `npm run import -- FILE --owner EMAIL`: moves a connection in (docs/operate/moving.md, "Steps").
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { ownAddress } from "./address.ts";
import { type Arrived, importConnection } from "./import.ts";
import { report, stoppedFolder, usedFolder } from "./stopped-folder.ts";

const USAGE = "usage: npm run import -- FILE [--owner EMAIL], or npm run import -- --address";

await report(async () => {
  const { file, owner, address } = readArguments();
  if (address) return ownAddress(usedFolder().path);
  if (file === undefined) throw new Error(USAGE);
  const steps = importConnection(await stoppedFolder(), { file: resolve(file), owner }, Date.now());
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return lineOf(step.value);
});

function lineOf({ uuid, keysWork }: Arrived): string {
  const keys = keysWork
    ? "its API keys work here"
    : "its API keys do not work here, because KEY_SECRET has another entry of the same number: make new ones";
  return `connection ${uuid} is on this machine, and ${keys}; start the gateway`;
}

function readArguments(): { file: string | undefined; owner: string | null; address: boolean } {
  try {
    const options = { owner: { type: "string" }, address: { type: "boolean", default: false } } as const;
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    if (positionals.length <= 1) return { file: positionals[0], owner: values.owner ?? null, address: values.address };
  } catch {
    // An unknown option leads to the same message as a missing one.
  }
  throw new Error(USAGE);
}
