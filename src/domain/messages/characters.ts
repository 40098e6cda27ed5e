// Characters are Unicode code points (docs/use/apis.md, "Ids, phones and times"), not UTF-16 code units.

/** Counts code points only if `length` is not conclusive. */
export function hasAtMostCharacters(text: string, max: number): boolean {
  if (text.length <= max) return true;
  if (text.length > max * 2) return false;
  let count = 0;
  for (const _ of text) count += 1;
  return count <= max;
}

export function firstCharacters(text: string, max: number): string {
  if (text.length <= max) return text;
  let cut = "";
  let count = 0;
  for (const character of text) {
    if (count === max) break;
    cut += character;
    count += 1;
  }
  return cut;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const PICTURE = /[\p{Extended_Pictographic}\p{Regional_Indicator}\u20E3]/u;

/** True if the text is one emoji as people see it. Families, flags and skin tones consist of several code points. */
export function isOneEmoji(text: string): boolean {
  // The longest recommended emoji sequences have ten code points.
  if (text.length > 40 || !PICTURE.test(text)) return false;
  return [...segmenter.segment(text)].length === 1;
}
