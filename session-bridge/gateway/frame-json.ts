// JSON frames sent to the object. Lone surrogates are replaced, because customers' JSON parsers reject them.

/** Counted in code points, like the limit for sent texts, because an emoji has two UTF-16 units. */
export const MAX_TEXT_CHARACTERS = 65_536;
const HALF = "\\ud";

export function frameJson(value: unknown): string {
  const json = JSON.stringify(value);
  return json.length <= MAX_TEXT_CHARACTERS && !json.includes(HALF) ? json : JSON.stringify(value, readable);
}

function readable(key: string, value: unknown): unknown {
  return typeof value === "string" && key !== "raw" ? cut(value).toWellFormed() : value;
}

function cut(text: string): string {
  if (text.length <= MAX_TEXT_CHARACTERS) return text;
  let end = 0;
  for (let count = 0; count < MAX_TEXT_CHARACTERS && end < text.length; count += 1) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}
