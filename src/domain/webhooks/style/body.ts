// The bytes of a delivery. All deliveries of an event share one frozen text; only the id, which comes first, is their own.
import type { InstanceRef } from "../../gateway-event.ts";
import type { Data, WebhookStyle } from "./style.ts";

/** A row of an object's SQLite holds 2 MB; nothing the network sends comes near. */
const MOST_BYTES = 1_900_000;
const MOST_BYTES_PER_CHARACTER = 3;
const KEPT_CHARACTERS = 256;

/** Everything of the body after the id; frozen when the event is stored. */
export function freeze(style: WebhookStyle, type: string, at: number, data: Data, face: InstanceRef): string {
  const whole = JSON.stringify(style.envelope(type, at, data, face)).slice(1);
  if (whole.length * MOST_BYTES_PER_CHARACTER <= MOST_BYTES || byteLength(whole) <= MOST_BYTES) return whole;
  return JSON.stringify(style.envelope(type, at, cut(data), face)).slice(1);
}

/** The body of one delivery, the same on every attempt. */
export function bodyOf(id: string, frozen: string): string {
  return `{"id":${JSON.stringify(id)},${frozen}`;
}

/** An event too large to be kept goes out with what identifies it, and says so. */
function cut(data: Data): Data {
  const short = (value: unknown) =>
    value === null ||
    typeof value === "boolean" ||
    typeof value === "number" ||
    (typeof value === "string" && value.length <= KEPT_CHARACTERS);
  return { ...Object.fromEntries(Object.entries(data).filter(([, value]) => short(value))), truncated: true };
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
