// `npm run export -- CONNECTION --to ADDRESS --file FILE`: moves a connection out (docs/operate/moving.md, "Steps").
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { isAddress } from "./address.ts";
import { exportConnection } from "./export.ts";
import { report, stoppedFolder } from "./stopped-folder.ts";

const USAGE = "usage: npm run export -- CONNECTION --to ADDRESS --file FILE (the new machine's npm run import -- --address prints ADDRESS)";

await report(async () => {
  const { connection, to, file } = readArguments();
  if (!isAddress(to)) throw new Error(`--to: ${to} is not an address; ${USAGE}`);
  const folder = await stoppedFolder();
  for (const _ of exportConnection(folder, { connection, to, file: resolve(file) }, Date.now()));
  return `connection ${connection} has left this machine; import ${resolve(file)} on the new one`;
});

function readArguments(): { connection: string; to: string; file: string } {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { to: { type: "string" }, file: { type: "string" } } });
    const [connection, ...more] = positionals;
    const { to, file } = values;
    if (connection !== undefined && to !== undefined && file !== undefined && more.length === 0) return { connection, to, file };
  } catch {
    // An unknown option leads to the same message as a missing one.
  }
  throw new Error(USAGE);
}
