// A reaction is one emoji as people see it: families, flags and skin tones are several code points.

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const PICTURE = /[\p{Extended_Pictographic}\p{Regional_Indicator}\u20E3]/u;

export function isOneEmoji(text: string): boolean {
  // The longest sequences that Unicode recommends have ten code points.
  if (text.length > 40 || !PICTURE.test(text)) return false;
  return [...segmenter.segment(text)].length === 1;
}
