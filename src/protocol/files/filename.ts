// Filenames come from strangers and are stored, shown and put into headers, so they are sanitized here.

/** Limit in percent-encoded form, so that the name fits into R2's custom metadata (2,048 bytes in all). */
const MAX_BYTES = 1_500;
const MAX_CHARACTERS = 2 * MAX_BYTES;

/** Control characters, and marks that reverse the text direction, with which `exe.gpj` could look like a picture. */
const INVISIBLE = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

/** Removes invisible characters, and shortens the stem when the name is too long to store. */
export function storableFilename(name: string): string {
  const cut = name.length > MAX_CHARACTERS ? name.slice(0, MAX_BYTES) + name.slice(-MAX_BYTES) : name;
  const letters = [...cut.toWellFormed().replaceAll(INVISIBLE, "").trim()];
  const dot = letters.lastIndexOf(".");
  const extension = dot > 0 && letters.length - dot <= 12 ? letters.splice(dot) : [];
  const fits = () => encodeURIComponent([...letters, ...extension].join("")).length <= MAX_BYTES;
  while (letters.length > 0 && !fits()) letters.length -= Math.max(1, Math.floor(letters.length / 20));
  return [...letters, ...extension].join("");
}
