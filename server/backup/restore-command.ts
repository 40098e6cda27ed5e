// `npm run restore -- BACKUP [--replace]` restores a backup while the gateway is stopped (docs/operate/backup.md, "Restore").
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { HELD_BY_BACKUP, HELD_BY_MOVE, HELD_BY_SERVER } from "../data-folder.ts";
import { holderThatStays } from "../directory-holder.ts";
import { lockedMessage, lockFolder } from "../folder-lock.ts";
import { readSettings } from "../settings-file.ts";
import { restore } from "./restore.ts";

const USAGE = "usage: npm run restore -- BACKUP [--replace]";

/** Resolves to a message for the operator. Throws an error whose message says why nothing was restored. */
async function restoreNamed(): Promise<string> {
  const { values, positionals } = readArguments();
  const [backup] = positionals;
  if (backup === undefined || positionals.length > 1) throw new Error(USAGE);
  const read = readSettings();
  if (!read.ok) throw new Error(read.problem);
  const { dataFolder } = read.settings;
  const holder = await holderThatStays(dataFolder, HELD_BY_SERVER);
  if (holder !== null) throw new Error(`DATA_DIR: ${dataFolder} is in use by a gateway (process ${holder}); stop it first`);
  const mover = await holderThatStays(dataFolder, HELD_BY_MOVE);
  if (mover !== null) throw new Error(`DATA_DIR: ${dataFolder} is in use by a move (process ${mover}); restore once it has ended`);
  if (!lockFolder(dataFolder)) throw new Error(`DATA_DIR: ${lockedMessage(dataFolder)}`);
  const running = await holderThatStays(dataFolder, HELD_BY_BACKUP);
  if (running !== null) throw new Error(`DATA_DIR: ${dataFolder} is in use by a backup (process ${running}); restore once it has ended`);
  const restored = await restore(resolve(backup), dataFolder, values.replace, new Date());
  if (!restored.ok) throw new Error(restored.problem);
  return `${dataFolder} holds the backup${restored.movedTo === null ? "" : `; the previous data is in ${restored.movedTo}`}`;
}

function readArguments() {
  try {
    return parseArgs({ allowPositionals: true, options: { replace: { type: "boolean", default: false } } });
  } catch {
    throw new Error(USAGE);
  }
}

try {
  process.stdout.write(`${await restoreNamed()}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
