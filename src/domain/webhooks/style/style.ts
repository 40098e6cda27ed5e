// A webhook style: everything that differs between the two APIs' deliveries. The styles are in `account.ts` and `connection.ts`.
import type { Ban } from "@gateway/protocol/events.ts";
import { type ChatId, chatKind, type Person, personOf } from "@gateway/protocol/ids.ts";
import type { GatewayEvent, InstanceRef } from "../../gateway-event.ts";
import type { Signing } from "../signature.ts";

export type RenderContext = { instance: InstanceRef; appUrl: string; networkSuffix: string };

export type EventData = Readonly<Record<string, unknown>>;

/** `dedupeKey` replaces the fact's `src` if two facts are the same event in this style. */
export type RenderedEvent = { type: string; data: EventData; dedupeKey?: string };

/** Renders each kind of gateway event as webhook events, usually one or none. */
export type EventRenderers = {
  [T in GatewayEvent["type"]]: (event: Extract<GatewayEvent, { type: T }>, context: RenderContext) => readonly RenderedEvent[];
};

export type StyleName = "account" | "connection";

export type WebhookStyle = {
  name: StyleName;
  /** Excludes `webhook.test`, which cannot be subscribed to. */
  eventTypes: readonly string[];
  /** Renders nothing for a kind without a renderer. */
  renderers: Partial<EventRenderers>;
  test(at: number): EventData;
  envelope(type: string, at: number, data: EventData, instance: InstanceRef): EventData;
  signing: Signing;
  delaysS: readonly number[];
  disableAfterMs: number | null;
};

export function render(style: WebhookStyle, event: GatewayEvent, context: RenderContext): readonly RenderedEvent[] {
  const renderer = style.renderers[event.type] as ((event: GatewayEvent, context: RenderContext) => readonly RenderedEvent[]) | undefined;
  return renderer?.(event, context) ?? [];
}

// Values that both styles write the same way. People are digits or null, never an internal id (docs/use/events.md, "Rules of the data").
const DIGITS = /^\d{5,20}$/;

export function digits(person: Person | null): string | null {
  return person !== null && person.phone !== null && DIGITS.test(person.phone) ? person.phone : null;
}

/** Digits of the actor: the number itself, the given person, or the other side of a one-to-one chat. */
export function actorDigits(fromMe: boolean, person: Person | null, chatId: ChatId, instance: InstanceRef): string | null {
  if (fromMe) return instance.phone;
  return digits(person) ?? digits(personOf(chatId));
}

export function isGroup(chatId: ChatId): boolean {
  return chatKind(chatId) === "group";
}

export function networkId(phone: string | null, networkSuffix: string): string | null {
  return phone === null ? null : `${phone}@${networkSuffix}`;
}

/** ISO 8601 in both APIs (docs/use/apis.md, "Ids, phones and times"). */
export function banOf(ban: Ban | null): { code: number | null; ends_at: string | null } | null {
  return ban === null ? null : { code: ban.code, ends_at: ban.ends_at === null ? null : isoOfSeconds(ban.ends_at) };
}

/** The latest time that a Date can represent. Timestamps come from senders, so they are clamped to keep `toISOString` from throwing. */
const MAX_DATE_MS = 8.64e15;

export function isoOfMs(ms: number): string {
  return new Date(Math.max(-MAX_DATE_MS, Math.min(MAX_DATE_MS, ms))).toISOString();
}

export function isoOfSeconds(seconds: number): string {
  return isoOfMs(seconds * 1_000);
}

// All deliveries of an event share one serialized body; only the id, which comes first, differs.

/** A row in an object's SQLite can store 2 MB; no network event comes close. */
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
