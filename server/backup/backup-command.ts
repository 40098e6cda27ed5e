// `npm run backup` copies the data while the gateway runs (docs/operate/backup.md, "Make backups").
import { dataProblem, existingDataFolder, HELD_BY_BACKUP, HELD_BY_SERVER } from "../data-folder.ts";
import { holderThatStays, removeHolder, runningGroups, writeHolder } from "../directory-holder.ts";
import { isFolderLocked, lockedMessage } from "../folder-lock.ts";
import { readSettings } from "../settings-file.ts";
import { makeBackup } from "./make-backup.ts";
import { megabytes, spaceOf } from "./space.ts";

/** Resolves to a message for the operator. Throws an error whose message explains why no backup was made. */
async function backUp(): Promise<string> {
  const read = readSettings();
  if (!read.ok) throw new Error(read.problem);
  const { dataFolder, backups } = read.settings;
  const problem = dataProblem(dataFolder);
  if (problem !== null) throw new Error(`DATA_DIR: ${problem}`);
  const folder = existingDataFolder(dataFolder);
  if (folder === null) throw new Error(`DATA_DIR: ${dataFolder} holds no data of a gateway`);
  const other = await holderThatStays(dataFolder, HELD_BY_BACKUP);
  if (other !== null) throw new Error(`another backup is running (process ${other})`);
  // Written before the lock is checked. A move takes the lock before it looks for this file, so one of the two always notices the other.
  writeHolder(dataFolder, HELD_BY_BACKUP, { ending: false, npm: null, groups: [] });
  try {
    // A gateway in another container cannot be paused from here, so the parts of the copy would be from different moments.
    if (runningGroups(dataFolder, HELD_BY_SERVER) === null && isFolderLocked(dataFolder))
      throw new Error(`DATA_DIR: ${lockedMessage(dataFolder)}, or make the backup in that container`);
    const surroundings = { report: (text: string) => void process.stdout.write(`${text}\n`), space: spaceOf };
    const { path, files, bytes, pausedMs } = await makeBackup(folder, backups.folder, backups.keep, new Date(), surroundings);
    return `${path}: ${files} files, ${megabytes(bytes)} MB; the gateway paused for ${pausedMs} ms`;
  } finally {
    removeHolder(dataFolder, HELD_BY_BACKUP);
  }
}

try {
  process.stdout.write(`${await backUp()}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
