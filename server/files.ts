import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";

/** Writes a file so that readers see either the old or the new text in full, even after a power failure. Only the owner can read it. */
export function writeAtomically(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`;
  wholeOrDeleted(temporary, () => {
    writeFileSync(temporary, text, { mode: 0o600, flush: true });
    renameSync(temporary, file);
  });
  flushToDisk(dirname(file));
}

/** Deletes `path` if `write` throws, because a partial file or folder would keep a full disk full. */
export function wholeOrDeleted<Result>(path: string, write: () => Result): Result {
  try {
    return write();
  } catch (error) {
    rmSync(path, { recursive: true, force: true });
    throw error;
  }
}

/** Calls fsync for `path`. For a directory, this makes its entries durable. */
export function flushToDisk(path: string): void {
  const opened = openSync(path, "r");
  fsyncSync(opened);
  closeSync(opened);
}

export function canWriteBeside(file: string): boolean {
  try {
    accessSync(dirname(file), constants.W_OK | constants.X_OK);
    return !existsSync(file) || statSync(file).isFile();
  } catch {
    return false;
  }
}

export function isOnPath(program: string, path = process.env["PATH"] ?? ""): boolean {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Creates one folder at a time. A recursive `mkdirSync` never returns if the system refuses with ENOENT, as it does below `/proc`. */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeDirectory(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

export function unusableMessage(path: string, error: unknown): string {
  return `${path} cannot be read and written (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`;
}
