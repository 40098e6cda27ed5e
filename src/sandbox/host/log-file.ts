import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** A log uses at most twice this size, including its older part. */
const MAX_BYTES = 10 * 1024 * 1024;

/** A full log is renamed to `FILE.1`, replacing the previous one. */
export class LogFile {
  readonly #path: string;
  readonly #maxBytes: number;
  #file: number | null = null;
  #bytes = 0;
  #waiting: string[] = [];

  constructor(path: string, maxBytes = MAX_BYTES) {
    this.#path = path;
    this.#maxBytes = maxBytes;
  }

  /** Lines from one turn of the event loop are written together, because each write is costly. */
  append(line: string): void {
    this.#waiting.push(line);
    if (this.#waiting.length === 1) setImmediate(() => this.flush());
  }

  flush(): void {
    if (this.#waiting.length === 0) return;
    const bytes = Buffer.from(`${this.#waiting.join("\n")}\n`);
    this.#waiting = [];
    try {
      if (this.#file !== null && this.#bytes + bytes.length > this.#maxBytes) this.#rotate();
      writeSync(this.#opened(), bytes);
      this.#bytes += bytes.length;
    } catch {
      // Ignored, because the next flush tries again.
    }
  }

  #opened(): number {
    if (this.#file !== null) return this.#file;
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    this.#file = openSync(this.#path, "a", 0o600);
    this.#bytes = fstatSync(this.#file).size;
    return this.#file;
  }

  #rotate(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
    renameSync(this.#path, `${this.#path}.1`);
    this.#bytes = 0;
  }
}
