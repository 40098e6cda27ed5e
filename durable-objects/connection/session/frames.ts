// Parses and checks a bridge's frame on the session socket.
import { parseJson } from "@gateway/protocol/json.ts";
import { z } from "zod";
import { KeyedEvent } from "@gateway/protocol/events.ts";
import { FromBridge } from "@gateway/protocol/session-socket.ts";

/** Which event did not match the contract, and in which field; names only, never values: an event's key holds phone numbers. */
export type InvalidEvent = { event: string; field: string };

const CommitEnvelope = z.object({ type: z.literal("commit"), events: z.array(z.unknown()) }).loose();
const EventHeader = z.object({ event: z.object({ type: z.string() }).loose() }).loose();

/**
 * Null when the text is no frame of the contract. An event that does not match is left out of its commit and reported: one odd
 * message must not block the number for good.
 */
export function readFrame(text: string): { frame: FromBridge; invalid: readonly InvalidEvent[] } | null {
  const json = parseJson(text);
  const frame = FromBridge.safeParse(json);
  if (frame.success) return { frame: frame.data, invalid: [] };
  const shell = CommitEnvelope.safeParse(json);
  if (!shell.success) return null;
  const invalid: InvalidEvent[] = [];
  const events = shell.data.events.flatMap((event) => {
    const readable = KeyedEvent.safeParse(event);
    if (readable.success) return [readable.data];
    invalid.push(describe(event, readable.error));
    return [];
  });
  const rest = FromBridge.safeParse({ ...shell.data, events });
  return rest.success ? { frame: rest.data, invalid } : null;
}

function describe(event: unknown, error: z.ZodError): InvalidEvent {
  const named = EventHeader.safeParse(event);
  const field = error.issues[0]?.path.join(".") ?? "";
  return named.success ? { event: named.data.event.type, field } : { event: "", field };
}
