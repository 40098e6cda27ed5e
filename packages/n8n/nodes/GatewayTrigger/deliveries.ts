// Decides which deliveries start a workflow.
import { createHmac, timingSafeEqual } from "node:crypto";

/** Number of ids to remember. The gateway retries a delivery only if it saw no response, and only for some hours. */
const MAX_REMEMBERED = 500;

export type Event = { id: string; event: string; instance_id?: string; timestamp?: string; data?: Record<string, unknown> | null };

/** `types` lists the message types to report. An empty list means all types. */
export type Filter = { events: readonly string[]; ownMessages: boolean; groups: boolean; types: readonly string[] };

/** The event types to subscribe to. */
export function subscribed({ events, ownMessages }: Filter): string[] {
  return [...new Set([...events, ...(ownMessages ? ["message.sent"] : [])])].sort();
}

/** True if the signature is the HMAC of exactly these bytes. */
export function isSigned(raw: Uint8Array, signature: unknown, secret: unknown): boolean {
  if (typeof signature !== "string" || typeof secret !== "string" || secret === "") return false;
  const expected = createHmac("sha256", secret).update(raw).digest();
  const given = Buffer.from(signature, "hex");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

export function readEvent(raw: Uint8Array): Event | null {
  try {
    const value = JSON.parse(Buffer.from(raw).toString("utf8")) as Event | null;
    return typeof value?.id === "string" && typeof value.event === "string" ? value : null;
  } catch {
    return null;
  }
}

export function isWanted({ event, data }: Event, filter: Filter): boolean {
  if (!subscribed(filter).includes(event)) return false;
  if (!event.startsWith("message.")) return true;
  const chat = data?.["chat_id"];
  const isOfGroup = typeof chat === "string" && chat.endsWith("@g.us");
  if (isOfGroup && !filter.groups) return false;
  const type = data?.["type"];
  return filter.types.length === 0 || typeof type !== "string" || filter.types.includes(type);
}

/** Returns the remembered ids plus this one, or null if it was already among them. */
export function remembering(ids: readonly string[], id: string): string[] | null {
  return ids.includes(id) ? null : [...ids, id].slice(-MAX_REMEMBERED);
}
