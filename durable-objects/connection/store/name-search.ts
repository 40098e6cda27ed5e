// Search in names: any part of at least three characters, whatever its case and accents, by an index of trigrams.

const MIN_SEARCH_CHARS = 3;

/** The full-text query for names that contain `text`; null when it is too short for the index. */
export function nameMatch(text: string): string | null {
  const part = text.trim();
  return Array.from(part).length < MIN_SEARCH_CHARS ? null : `"${part.replaceAll('"', '""')}"`;
}
