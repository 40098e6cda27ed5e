// Searches a stopped sandbox's files for remaining copies of a text.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Paths of all files below the directory. */
export function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** The text itself, and its encodings inside a larger Base64 string at each alignment. */
function formsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const inBase64 = [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString("base64")
      .replaceAll("=", "");
    // The first and last characters depend on neighbouring bytes.
    return encoded.slice(shift === 0 ? 0 : 4, -2);
  });
  return [bytes.toString("latin1"), ...inBase64.filter((form) => form.length >= 8)];
}

/** The files that still contain any of the texts, by byte search. */
export function holding(files: readonly string[], texts: readonly string[]): string[] {
  const wanted = texts.map((text) => ({ text, forms: formsOf(text) }));
  return files.flatMap((file) => {
    const content = readFileSync(file, "latin1");
    return wanted.filter(({ forms }) => forms.some((form) => content.includes(form))).map(({ text }) => `${file}: ${text}`);
  });
}

/**
 * Frees a database's unused pages. Local D1 and R2 never do this, and do not let their clients do it
 * (docs/operate/personal-data.md, "What Cloudflare keeps").
 */
export function reclaimFreePages(file: string): void {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.exec("VACUUM");
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}
