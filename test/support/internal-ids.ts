// The network's internal ids, which no body may contain (docs/use/events.md, "Fields of events").

/** A LID, a person's device, and on the Connection API any address in wire format. */
const LID = /@(hosted\.)?lid\b/i;
const DEVICE = /:\d+@/;
const WIRE = /@s\.whatsapp\.net\b/i;

/** Finds internal ids in a webhook body, in keys and values, and returns their paths and text. */
export function internalIdsIn(body: string): string[] {
  const value = parsed(body);
  // The Account API uses the network's own suffix for people; only its envelope has an `event`.
  const forbidden = typeof value === "object" && value !== null && "event" in value ? [LID, DEVICE] : [LID, DEVICE, WIRE];
  return found(value, "$", forbidden);
}

function found(value: unknown, path: string, forbidden: readonly RegExp[]): string[] {
  if (typeof value === "string") return forbidden.some((id) => id.test(value)) ? [`${path}: ${value}`] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => [
    ...(forbidden.some((id) => id.test(name)) ? [`${path}: the key ${name}`] : []),
    ...found(part, `${path}.${name}`, forbidden),
  ]);
}

/** Searches a body that is not JSON as text. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
