// Ids of the network's own, which no body may hold (docs/use/events.md, "Rules of the data").

/** A LID, a device of a person, and on the Connection API any address as the wire spells it. */
const LID = /@(hosted\.)?lid\b/i;
const DEVICE = /:\d+@/;
const WIRE = /@s\.whatsapp\.net\b/i;

/** Where in a webhook body internal ids are, in keys as well as in values, with what was found there. */
export function internalIdsIn(body: string): string[] {
  const value = parsed(body);
  // The Account API names persons by the network's own suffix; only its envelope has an `event`.
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

/** What is no JSON is looked at as text. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
