// Search in names: any part of at least three characters, whatever its case and accents, by an index of trigrams.

const SHORTEST = 3;

/** The full-text query for names that contain `text`; null when it is too short for the index. */
export function containing(text: string): string | null {
  const part = text.trim();
  return Array.from(part).length < SHORTEST ? null : `"${part.replaceAll('"', '""')}"`;
}
