import { accessSync, constants, existsSync, renameSync, statSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/** A reader of the file sees the old text or the new one, never a part. Readable by its owner only. */
export function writeAtomically(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, file);
}

/** Whether the file can be written; checked before anything else is done. */
export function canWriteBeside(file: string): boolean {
  try {
    accessSync(dirname(file), constants.W_OK | constants.X_OK);
    return !existsSync(file) || statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Whether there is a program of this name. */
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
