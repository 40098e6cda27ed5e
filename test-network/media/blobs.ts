// Uploaded files, already encrypted by clients. Stored on disk if there is a state folder, to keep large files out of memory.
import { randomBytes } from "node:crypto";
import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

const PARTIAL = ".part";
const FOLDER = "/v/t62/";
const NAME = /^[\w-]{12,40}\.[a-z0-9]{1,8}$/;

/** Fault of the first media host. `drip` sends ten bytes a second. With `cut`, connections break halfway, at most `times` times. */
export type MediaTrouble =
  | { kind: "down" | "forbidden" | "silent" | "drip" }
  | { kind: "cut"; times?: number | undefined }
  | { kind: "redirect"; location: string };

export class Blobs {
  readonly #folder: string | undefined;
  readonly #inMemory = new Map<string, Buffer>();
  host: string | undefined;
  spareHost: string | undefined;
  trouble: MediaTrouble | null = null;
  /** The status for removed files. The real host returns 403, 404 or 410. */
  readonly #gone: number;
  readonly #removed = new Map<string, number>();

  constructor(stateDir: string | undefined, strict = false) {
    this.#gone = strict ? 403 : 404;
    if (stateDir === undefined) return;
    this.#folder = join(stateDir, "blobs");
    mkdirSync(this.#folder, { recursive: true });
    for (const name of readdirSync(this.#folder)) if (name.endsWith(PARTIAL)) rmSync(join(this.#folder, name));
  }

  save(bytes: Uint8Array, extension = "enc"): { path: string; url: string } {
    const path = this.put(bytes, extension);
    return { path, url: this.urlOf(path) };
  }

  put(bytes: Uint8Array, extension: string): string {
    const name = freshName(extension);
    if (this.#folder === undefined) this.#inMemory.set(name, Buffer.from(bytes));
    else writeFileSync(join(this.#folder, name), bytes);
    return FOLDER + name;
  }

  /** The path exists only once the whole stream is stored. */
  async putStream(source: Readable, extension: string): Promise<string> {
    const name = freshName(extension);
    if (this.#folder === undefined) {
      this.#inMemory.set(name, Buffer.concat(await source.toArray()));
      return FOLDER + name;
    }
    const partial = join(this.#folder, name + PARTIAL);
    await pipeline(source, createWriteStream(partial));
    renameSync(partial, join(this.#folder, name));
    return FOLDER + name;
  }

  get(path: string): Buffer | undefined {
    const file = this.#locate(path);
    if (file === undefined) return undefined;
    return typeof file === "string" ? readFileSync(file) : file;
  }

  /** Reads a file, either whole or from `start` to `end` inclusive. */
  open(path: string, range?: { start: number; end: number }): Readable | undefined {
    const file = this.#locate(path);
    if (file === undefined) return undefined;
    if (typeof file === "string") return createReadStream(file, range);
    return Readable.from([range ? file.subarray(range.start, range.end + 1) : file]);
  }

  /** Called when a connection breaks because of `trouble`. */
  cut(): void {
    if (this.trouble?.kind !== "cut" || this.trouble.times === undefined) return;
    this.trouble = this.trouble.times > 1 ? { kind: "cut", times: this.trouble.times - 1 } : null;
  }

  sizeOf(path: string): number | undefined {
    const file = this.#locate(path);
    return typeof file === "string" ? statSync(file).size : file?.length;
  }

  statusOf(path: string): number {
    return this.#removed.get(path) ?? 404;
  }

  /** Deletes a file, as the real host does after a while. Later requests get `status`. */
  remove(path: string, status = this.#gone): void {
    const file = this.#locate(path);
    this.#removed.set(path, status);
    if (typeof file === "string") rmSync(file);
    else this.#inMemory.delete(basename(path));
  }

  urlOf(path: string): string {
    return `https://${this.host ?? "127.0.0.1"}${path}`;
  }

  #locate(path: string): Buffer | string | undefined {
    const name = basename(path);
    if (path !== FOLDER + name || !NAME.test(name)) return undefined;
    if (this.#folder === undefined) return this.#inMemory.get(name);
    const file = join(this.#folder, name);
    return statSync(file, { throwIfNoEntry: false }) ? file : undefined;
  }
}

function freshName(extension: string): string {
  return `${randomBytes(15).toString("base64url")}.${extension}`;
}
