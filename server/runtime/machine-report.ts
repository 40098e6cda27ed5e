// Reports problems of this machine to the worker's self-check (docs/operate/doctor.md, "Self-check").
import { Response } from "miniflare";
import type { MachineReport } from "@gateway/domain/fleet/self-check.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";
import { lastBackupAt } from "../backup/make-backup.ts";
import { megabytes } from "../backup/space.ts";
import { nextBackupAt } from "../backup/nightly.ts";
import { diskProblem, readDisk } from "../disk-watch.ts";
import type { BackupSettings } from "../settings.ts";

/** A failed backup is retried once within this time. */
const OVERDUE_MS = 2 * HOUR_MS;

type Machine = { dataFolder: string; backups: BackupSettings };

/** `since` says when the gateway started (Unix ms). */
export function machineReport({ dataFolder, backups }: Machine, since: number, now: number, read = readDisk): MachineReport {
  return { disk: diskText(dataFolder, read), backups: backupText(backups, since, now) };
}

function diskText(folder: string, read: typeof readDisk): string | null {
  const state = read(folder);
  const problem = diskProblem(state);
  return problem === null ? null : `${problem}: ${megabytes(state.free)} MB free in ${folder}`;
}

function backupText({ folder, time }: BackupSettings, since: number, now: number): string | null {
  if (time === null) return null;
  const last = lastBackupAt(folder, now);
  if (now < nextBackupAt(time, last ?? since) + OVERDUE_MS) return null;
  return last === null ? `no backup in ${folder}` : `the last backup in ${folder} is from ${new Date(last).toISOString()}`;
}

export function answerMachine(machine: Machine): () => Response {
  const since = Date.now();
  return () => Response.json(machineReport(machine, since, Date.now()));
}
