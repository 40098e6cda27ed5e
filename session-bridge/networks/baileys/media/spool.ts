// A file in transit: small ones stay in memory, larger ones go to disk, so that many at once cannot exhaust the process's memory.
import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, unlink, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";

const IN_MEMORY_BYTES = 512 * 1024;

export class Spool {
  size = 0;
  #chunks: Buffer[] = [];
  #file: FileHandle | null = null;
  #path: string | null = null;

  async write(chunk: Buffer): Promise<void> {
    this.size += chunk.length;
    if (this.#file) return void (await this.#file.write(chunk));
    this.#chunks.push(chunk);
    if (this.size > IN_MEMORY_BYTES) await this.#spill();
  }

  /** The whole content; may be read again. Call it when nothing more is written. */
  body(): Buffer | Readable {
    return this.bytes ?? createReadStream(this.#path as string);
  }

  /** The whole content while it is in memory; null once it is on disk. */
  get bytes(): Buffer | null {
    return this.#path === null ? Buffer.concat(this.#chunks) : null;
  }

  /** The content as a file; a small one is written to disk first. */
  async path(): Promise<string> {
    if (this.#path === null) await this.#spill();
    return this.#path as unknown as string;
  }

  async discard(): Promise<void> {
    this.#chunks = [];
    const path = this.#path;
    await this.#file?.close().catch(() => undefined);
    if (path !== null) await unlink(path).catch(() => undefined);
  }

  async #spill(): Promise<void> {
    this.#path = join(tmpdir(), `gateway-media-${randomUUID()}`);
    this.#file = await open(this.#path, "wx", 0o600);
    for (const chunk of this.#chunks) await this.#file.write(chunk);
    this.#chunks = [];
  }
}
