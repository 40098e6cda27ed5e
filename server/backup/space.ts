// Free space on a disk, before a backup or a restore fills it.
import { statfsSync } from "node:fs";

const LOW_BYTES = 500_000_000;
/** A small disk is low only if less than this share of it is free. */
const LOW_SHARE = 0.1;

export type Space = { free: number; size: number };

export const megabytes = (bytes: number) => Math.ceil(bytes / 1_000_000);

/** A disk of this size is filling up if fewer bytes are free. */
export const lowMark = (size: number) => Math.min(LOW_BYTES, size * LOW_SHARE);

/** `free` is the number of bytes that this process may still write in the folder. */
export function spaceOf(folder: string): Space {
  const { bavail, blocks, bsize } = statfsSync(folder);
  return { free: bavail * bsize, size: blocks * bsize };
}

export const freeBytes = (folder: string) => spaceOf(folder).free;
