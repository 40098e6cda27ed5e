// JSON of what a session tells its object. Strangers choose most of its texts, and their encoding can hold what JSON readers of customers
// refuse.

/** No official client lets one write more. */
export const MAX_TEXT_CHARACTERS = 65_536;
/** How JSON writes half of a surrogate pair. */
const HALF = "\\ud";

/** Each text well-formed and no longer than a message may be; `raw` is the network's encoding, which no customer reads. */
export function frameJson(value: unknown): string {
  const json = JSON.stringify(value);
  return json.length <= MAX_TEXT_CHARACTERS && !json.includes(HALF) ? json : JSON.stringify(value, readable);
}

function readable(key: string, value: unknown): unknown {
  return typeof value === "string" && key !== "raw" ? value.slice(0, MAX_TEXT_CHARACTERS).toWellFormed() : value;
}
