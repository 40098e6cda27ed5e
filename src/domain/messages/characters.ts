// Characters are Unicode code points (docs/apis.md, "Ids, phones and times"), not the halves that JavaScript counts.

/** Whether the text has at most so many characters. Long texts are not walked when their length alone decides. */
export function hasAtMostCharacters(text: string, most: number): boolean {
  if (text.length <= most) return true;
  if (text.length > most * 2) return false;
  let count = 0;
  for (const _ of text) count += 1;
  return count <= most;
}

/** The first so many characters of the text. */
export function firstCharacters(text: string, most: number): string {
  if (text.length <= most) return text;
  let kept = "";
  let count = 0;
  for (const character of text) {
    if (count === most) break;
    kept += character;
    count += 1;
  }
  return kept;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const PICTURE = /[\p{Extended_Pictographic}\p{Regional_Indicator}\u20E3]/u;

export function isOneEmoji(text: string): boolean {
  // The longest sequences that Unicode recommends have ten code points.
  if (text.length > 40 || !PICTURE.test(text)) return false;
  return [...segmenter.segment(text)].length === 1;
}
