// A folder with the ready file of a test file's own connection, because the sandbox's demo connection belongs to other tests.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Ready } from "#root/src/sandbox/host/state-directory.ts";
import { Cli } from "./cli.ts";

/** The command `gateway`, with `folder` as the sandbox of its current folder. */
export function cliOf(folder: string, { demo, ...ready }: Ready, own: { phone: string; key: string }): Cli {
  const connection = { ...demo.connection, phone: own.phone, api_key: own.key };
  writeFileSync(join(folder, "ready.json"), JSON.stringify({ ...ready, demo: { ...demo, connection } }));
  return new Cli(folder, { GATEWAY_SANDBOX: folder, XDG_STATE_HOME: folder });
}
