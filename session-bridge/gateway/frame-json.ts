// JSON frames sent to the object. Lone surrogates are replaced, because customers' JSON parsers reject them.

export const MAX_TEXT_CHARACTERS = 65_536;
const HALF = "\\ud";

export function frameJson(value: unknown): string {
  const json = JSON.stringify(value);
  return json.length <= MAX_TEXT_CHARACTERS && !json.includes(HALF) ? json : JSON.stringify(value, readable);
}

function readable(key: string, value: unknown): unknown {
  return typeof value === "string" && key !== "raw" ? value.slice(0, MAX_TEXT_CHARACTERS).toWellFormed() : value;
}
