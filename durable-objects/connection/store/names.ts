// Search in names: any part of at least three characters, whatever its case and accents, by an index of trigrams.

const SHORTEST = 3;

/** The full-text query for names that contain `text`; null when it is too short for the index. */
export function containing(text: string): string | null {
  return [...text.trim()].length < SHORTEST ? null : `"${text.trim().replaceAll('"', '""')}"`;
}
