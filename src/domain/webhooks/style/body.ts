// The bytes of a delivery. All deliveries of an event share one frozen text; only the id, which comes first, is their own.
import type { InstanceRef } from "../../gateway-event.ts";
import type { EventData, WebhookStyle } from "./style.ts";

/** A row of an object's SQLite holds 2 MB; nothing the network sends comes near. */
const MAX_BYTES = 1_900_000;
const MAX_BYTES_PER_CHARACTER = 3;
const MAX_SHORT_CHARACTERS = 256;

/** Everything of the body after the id; frozen when the event is stored. */
export function serializeBody(style: WebhookStyle, type: string, at: number, data: EventData, face: InstanceRef): string {
  const whole = JSON.stringify(style.envelope(type, at, data, face)).slice(1);
  if (whole.length * MAX_BYTES_PER_CHARACTER <= MAX_BYTES || byteLength(whole) <= MAX_BYTES) return whole;
  return JSON.stringify(style.envelope(type, at, truncate(data), face)).slice(1);
}

/** The body of one delivery, the same on every attempt. */
export function withDeliveryId(id: string, frozen: string): string {
  return `{"id":${JSON.stringify(id)},${frozen}`;
}

/** An event too large to be kept goes out with what identifies it, and says so. */
function truncate(data: EventData): EventData {
  const short = (value: unknown) =>
    value === null ||
    typeof value === "boolean" ||
    typeof value === "number" ||
    (typeof value === "string" && value.length <= MAX_SHORT_CHARACTERS);
  return { ...Object.fromEntries(Object.entries(data).filter(([, value]) => short(value))), truncated: true };
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
