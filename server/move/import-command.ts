// `npm run import -- …` moves a connection in (docs/operate/moving.md, "To and from the edge").
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { ownAddress } from "./address.ts";
import { fetchConnection } from "./fetch.ts";
import { type Arrived, importConnection } from "./import.ts";
import { gatewayUrl } from "./remote-gateway.ts";
import { finished } from "./send.ts";
import { remoteGateway, report, stoppedFolder, usedFolder } from "./stopped-folder.ts";

const USAGE = `usage: npm run import -- FILE [--owner EMAIL], npm run import -- --address,
or npm run import -- UUID --from https://HOST [--owner EMAIL]`;

await report(async () => {
  const { named, owner, from, address } = readArguments();
  if (address) return ownAddress(usedFolder().path);
  if (named === undefined) throw new Error(USAGE);
  if (from === undefined) return lineOf(finished(importConnection(await stoppedFolder(), { file: resolve(named), owner }, Date.now())));
  const url = gatewayUrl(from);
  if (url === null) throw new Error(`--from: ${from} is not the https URL of a gateway; ${USAGE}`);
  const remote = remoteGateway(url);
  return lineOf(await fetchConnection(await stoppedFolder(), remote, { connection: named, owner }, Date.now()));
});

function lineOf({ uuid, keysWork }: Arrived): string {
  const keys = keysWork
    ? "its API keys work here"
    : "its API keys do not work here, because KEY_SECRET has another entry of the same number: make new ones";
  return `connection ${uuid} is on this machine, and ${keys}; start the gateway`;
}

function readArguments() {
  try {
    const options = { owner: { type: "string" }, from: { type: "string" }, address: { type: "boolean", default: false } } as const;
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    const { owner = null, from, address } = values;
    if (positionals.length <= 1) return { named: positionals[0], owner, from, address };
  } catch {
    // An unknown option gets the same error message as a missing one.
  }
  throw new Error(USAGE);
}
