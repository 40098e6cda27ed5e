// Distinguishes the event types of this version from newer ones.

/** An event type that this package does not know. */
export type UnknownEvent = { type: "$unknown"; id: string; original: unknown };

export function typedEvent(event: Record<string, unknown>, known: readonly string[], type = event["type"]): unknown {
  return known.includes(type as string) ? { ...event, type } : { type: "$unknown", id: event["id"], original: event };
}
