// Holds files in transit, small ones in memory and larger ones on disk, within a shared quota.
import { randomUUID } from "node:crypto";
import { createReadStream, rmSync } from "node:fs";
import { mkdtemp, open, readdir, rm, statfs, unlink, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { SPOOL_QUOTA, type Way } from "./spool-quota.ts";

const IN_MEMORY_BYTES = 512 * 1024;
const MIN_FREE_BYTES = 1_000_000;
const PREFIX = "gateway-media-";

export function isDiskFull(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return code === "ENOSPC" || code === "EDQUOT";
}

/** A converter does not report why it failed, so this checks whether the disk is full. */
export async function hasDiskSpace(): Promise<boolean> {
  const { bavail, bsize } = await statfs(tmpdir());
  return bavail * bsize >= MIN_FREE_BYTES;
}

export class Spool {
  size = 0;
  readonly #way: Way;
  #onDiskBytes = 0;
  #chunks: Buffer[] = [];
  #file: FileHandle | null = null;
  #path: string | null = null;

  constructor(way: Way) {
    this.#way = way;
  }

  /** Rejects when the disk or the quota is full. The caller must then discard the spool. */
  async write(chunk: Buffer): Promise<void> {
    this.size += chunk.length;
    if (this.#file) return this.#append(chunk);
    this.#chunks.push(chunk);
    if (this.size > IN_MEMORY_BYTES) await this.#spill();
  }

  /** Returns the whole content, which can be read repeatedly. Call it after the last write. */
  body(): Buffer | Readable {
    return this.bytes ?? createReadStream(this.#path as string);
  }

  get bytes(): Buffer | null {
    return this.#path === null ? Buffer.concat(this.#chunks) : null;
  }

  async path(): Promise<string> {
    if (this.#path === null) await this.#spill();
    return this.#path as unknown as string;
  }

  /** Accounts for the library's encrypted copy. Throws if the copy exceeds the quota. The caller must then discard the spool. */
  countCopy(): void {
    SPOOL_QUOTA.take(this.#way, this.size);
    this.#onDiskBytes += this.size;
  }

  async discard(): Promise<void> {
    this.#chunks = [];
    const path = this.#path;
    await this.#file?.close().catch(() => undefined);
    if (path !== null) await unlink(path).catch(() => undefined);
    SPOOL_QUOTA.giveBack(this.#way, this.#onDiskBytes);
    this.#onDiskBytes = 0;
  }

  async #spill(): Promise<void> {
    this.#path = join(tmpdir(), `${PREFIX}${process.pid}-${randomUUID()}`);
    this.#file = await open(this.#path, "wx", 0o600);
    for (const chunk of this.#chunks) await this.#append(chunk);
    this.#chunks = [];
  }

  async #append(chunk: Buffer): Promise<void> {
    SPOOL_QUOTA.take(this.#way, chunk.length);
    this.#onDiskBytes += chunk.length;
    await this.#file?.appendFile(chunk);
  }
}

/** Puts all temporary files of this process into one folder, and deletes those of killed processes. Call it before the first file. */
export async function openSpoolFolder(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = /^gateway-media-(\d+)-/.exec(name) ?? [];
    if (pid === undefined || (Number(pid) !== process.pid && isAlive(Number(pid)))) continue;
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined);
  }
  // Ignores errors, so that the process starts even on a full disk, because most messages do not contain files.
  const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`)).catch(() => null);
  if (folder === null) return;
  process.env["TMPDIR"] = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
