// `npm run export -- CONNECTION --to …` moves a connection out (docs/operate/moving.md, "To and from the edge").
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { isAddress } from "./address.ts";
import { exportConnection } from "./export.ts";
import { gatewayUrl } from "./remote-gateway.ts";
import { type Sent, sendConnection } from "./send.ts";
import { remoteGateway, report, stoppedFolder } from "./stopped-folder.ts";
import { undoDeparture } from "./undo.ts";

const USAGE = `usage: npm run export -- CONNECTION --to ADDRESS --file FILE (the new machine's npm run import -- --address prints ADDRESS),
or npm run export -- CONNECTION --to https://HOST [--owner EMAIL], or npm run export -- CONNECTION --undo`;

await report(async () => {
  const { connection, to, file, owner } = readArguments();
  if (to === undefined)
    return `connection ${await undoDeparture(await stoppedFolder(), remoteGateway, connection, Date.now())} is back; start the gateway`;
  const url = gatewayUrl(to);
  if (url !== null) {
    if (file !== undefined) throw new Error(`--file: a connection moves to ${url} without a file; ${USAGE}`);
    const remote = remoteGateway(url);
    return lineOf(await sendConnection(await stoppedFolder(), remote, { connection, owner: owner ?? null }, Date.now()), url);
  }
  if (!isAddress(to)) throw new Error(`--to: ${to} is not an address; ${USAGE}`);
  if (file === undefined || owner !== undefined) throw new Error(USAGE);
  const folder = await stoppedFolder();
  for (const _ of exportConnection(folder, { connection, to, file: resolve(file) }, Date.now()));
  return `connection ${connection} has left this machine; import ${resolve(file)} on the new one`;
});

function lineOf({ uuid, keysWork, secretFile }: Sent, url: string): string {
  const moved = `connection ${uuid} is at ${url}`;
  if (!keysWork) return `${moved}; its API keys do not work there, because KEY_SECRET has another entry of the same number: make new ones`;
  return secretFile === null
    ? `${moved}, and its API keys work there`
    : `${moved}; its API keys work once KEY_SECRET there is as in ${secretFile}`;
}

function readArguments() {
  try {
    const options = { to: { type: "string" }, file: { type: "string" }, owner: { type: "string" }, undo: { type: "boolean" } } as const;
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    const [connection, ...more] = positionals;
    const { to, file, owner, undo = false } = values;
    const isComplete = undo ? (to ?? file ?? owner) === undefined : to !== undefined;
    if (connection !== undefined && isComplete && more.length === 0) return { connection, to, file, owner };
  } catch {
    // An unknown option gets the same error message as a missing one.
  }
  throw new Error(USAGE);
}
