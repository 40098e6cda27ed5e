// Free space on a disk, before a backup or a restore fills it.
import { statfsSync } from "node:fs";

export const megabytes = (bytes: number) => Math.ceil(bytes / 1_000_000);

/** Number of bytes that this process may still write in the folder. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
