// What is left of something in the files of a stopped sandbox.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** All files below the directory, as paths. */
export function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** The text as it is, and as it looks inside Base64 of something larger, wherever it begins there. */
function formsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const inBase64 = [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString("base64")
      .replaceAll("=", "");
    // The first and the last letters depend on the neighbours.
    return encoded.slice(shift === 0 ? 0 : 4, -2);
  });
  return [bytes.toString("latin1"), ...inBase64.filter((form) => form.length >= 8)];
}

/** Which of the texts each file still holds, byte by byte. */
export function holding(files: readonly string[], texts: readonly string[]): string[] {
  const wanted = texts.map((text) => ({ text, forms: formsOf(text) }));
  return files.flatMap((file) => {
    const content = readFileSync(file, "latin1");
    return wanted.filter(({ forms }) => forms.some((form) => content.includes(form))).map(({ text }) => `${file}: ${text}`);
  });
}

/**
 * Gives the free pages of a database back. Local D1 and R2 never do it by themselves, and refuse it to their clients
 * (docs/operate/personal-data.md, "What Cloudflare keeps").
 */
export function reclaimFreePages(file: string): void {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.exec("VACUUM");
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}
