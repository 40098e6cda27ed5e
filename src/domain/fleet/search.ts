// Interprets an administrator's search text (docs/operate/now.md, "Search").
import { UUID } from "@gateway/protocol/ids.ts";

const OBJECT_IDS: readonly RegExp[] = [
  new RegExp(UUID, "i"),
  // The id of a webhook event, or of its deliveries.
  /^msg_[\w-]{4,100}$/,
  // A message id, from the network or Meta's Cloud API.
  /^[0-9A-F]{16,40}$/,
  /^wamid\.[\w+/=-]{8,200}$/,
];

/** True if only the instances' objects know the id, so they must be asked. */
export function isObjectId(text: string): boolean {
  return OBJECT_IDS.some((pattern) => pattern.test(text));
}

/** `among` contains additional words that limit the search to instances with a matching name, number or owner. Null means no limit. */
export function readSearch(text: string): { first: string; among: string | null } {
  const [first = "", ...rest] = text.trim().split(/\s+/);
  return isObjectId(first) ? { first, among: rest.length === 0 ? null : rest.join(" ") } : { first: text.trim(), among: null };
}
