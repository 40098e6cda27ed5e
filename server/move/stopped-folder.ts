// The data folder for commands that change it while its gateway is stopped.
import { type DataFolder, existingDataFolder, HELD_BY_BACKUP, HELD_BY_MOVE, HELD_BY_SERVER } from "../data-folder.ts";
import { holderThatStays, removeHolder, writeHolder } from "../directory-holder.ts";
import { lockedMessage, lockFolder } from "../folder-lock.ts";
import { RemoteGateway } from "./remote-gateway.ts";
import { readSettings } from "../settings-file.ts";

/** Throws if no gateway has used the folder yet. */
export function usedFolder(): DataFolder {
  const read = readSettings();
  if (!read.ok) throw new Error(read.problem);
  const { dataFolder } = read.settings;
  const folder = existingDataFolder(dataFolder);
  if (folder === null) throw new Error(`DATA_DIR: ${dataFolder} holds no data yet; start the gateway once`);
  return folder;
}

/** Until the process ends, no gateway, backup or other move can start on the folder. A file that a killed move left behind is ignored. */
export async function stoppedFolder(): Promise<DataFolder> {
  const folder = usedFolder();
  const mover = await holderThatStays(folder.path, HELD_BY_MOVE);
  if (mover !== null) throw new Error(`DATA_DIR: ${folder.path} is in use by another move (process ${mover})`);
  const holder = await holderThatStays(folder.path, HELD_BY_SERVER);
  if (holder !== null) throw new Error(`DATA_DIR: ${folder.path} is in use by a gateway (process ${holder}); stop it first`);
  if (!lockFolder(folder.path)) throw new Error(`DATA_DIR: ${lockedMessage(folder.path)}`);
  const backup = await holderThatStays(folder.path, HELD_BY_BACKUP);
  if (backup !== null) throw new Error(`DATA_DIR: ${folder.path} is in use by a backup (process ${backup}); move once it has ended`);
  writeHolder(folder.path, HELD_BY_MOVE, { ending: false, npm: null, groups: [] });
  process.once("exit", () => removeHolder(folder.path, HELD_BY_MOVE));
  return folder;
}

/** The gateway at this URL, which must have the same MOVE_SECRET. */
export function remoteGateway(url: string): RemoteGateway {
  const read = readSettings();
  if (!read.ok) throw new Error(read.problem);
  const { moveSecret } = read.settings;
  if (moveSecret === null) throw new Error("MOVE_SECRET: must be that of the other gateway");
  return new RemoteGateway(url, moveSecret);
}

/** Prints the message that `work` resolves to, or the message of its error. */
export async function report(work: () => Promise<string>): Promise<void> {
  try {
    process.stdout.write(`${await work()}\n`);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
