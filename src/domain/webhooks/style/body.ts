// All deliveries of an event share one serialized body. Only the id, which comes first, differs.
import type { InstanceRef } from "../../gateway-event.ts";
import type { EventData, WebhookStyle } from "./style.ts";

/** A row in an object's SQLite can store 2 MB. No network event comes close. */
const MAX_BYTES = 1_900_000;
const MAX_BYTES_PER_CHARACTER = 3;
const MAX_SHORT_CHARACTERS = 256;

export function serializeBody(style: WebhookStyle, type: string, at: number, data: EventData, instance: InstanceRef): string {
  const whole = JSON.stringify(style.envelope(type, at, data, instance)).slice(1);
  if (whole.length * MAX_BYTES_PER_CHARACTER <= MAX_BYTES || byteLength(whole) <= MAX_BYTES) return whole;
  return JSON.stringify(style.envelope(type, at, truncate(data), instance)).slice(1);
}

export function withDeliveryId(id: string, text: string): string {
  return `{"id":${JSON.stringify(id)},${text}`;
}

/** An event that is too large to store keeps only its short fields, and is marked `truncated`. */
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
