// A webhook style: everything in which deliveries of the two APIs differ, as data. `account.ts` and `connection.ts` are the two values.
import type { GatewayEvent, InstanceRef } from "../../gateway-event.ts";
import type { Signing } from "../signature.ts";

/** What renderers need besides the event. `appUrl` has no slash at its end. */
export type RenderContext = { instance: InstanceRef; appUrl: string; networkSuffix: string };

export type EventData = Readonly<Record<string, unknown>>;

/**
 * One event in a style. `dedupeKey` replaces the fact's own `src` where two facts are the same event in this style.
 */
export type RenderedEvent = { type: string; data: EventData; dedupeKey?: string };

/** One row per kind of fact: the events it becomes in a style, usually one or none. */
export type EventRenderers = {
  [T in GatewayEvent["type"]]: (event: Extract<GatewayEvent, { type: T }>, context: RenderContext) => readonly RenderedEvent[];
};

export type StyleName = "account" | "connection";

export type WebhookStyle = {
  name: StyleName;
  /** What can be subscribed to; `webhook.test` cannot. */
  eventTypes: readonly string[];
  renderers: EventRenderers;
  /** Data of `webhook.test`. `at` is Unix ms. */
  test(at: number): EventData;
  /** The body without its `id`. `at` is Unix ms, when the event happened. */
  envelope(type: string, at: number, data: EventData, instance: InstanceRef): EventData;
  signing: Signing;
  delaysS: readonly number[];
  /** null: never disabled by itself. */
  disableAfterMs: number | null;
};

/** The events of a fact in a style. */
export function render(style: WebhookStyle, event: GatewayEvent, context: RenderContext): readonly RenderedEvent[] {
  return rendererOf(style.renderers, event)(event, context);
}

/** The cast is safe: the row is found by the event's own type. */
function rendererOf(
  renderers: EventRenderers,
  event: GatewayEvent,
): (event: GatewayEvent, context: RenderContext) => readonly RenderedEvent[] {
  return renderers[event.type] as (event: GatewayEvent, context: RenderContext) => readonly RenderedEvent[];
}

/** For kinds of facts that are no event in a style. */
export const noEvents = (): readonly RenderedEvent[] => [];
