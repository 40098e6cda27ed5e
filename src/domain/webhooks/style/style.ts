// A webhook style: everything in which the deliveries of the two APIs differ. The two styles are in `account.ts` and `connection.ts`.
import type { GatewayEvent, InstanceRef } from "../../gateway-event.ts";
import type { Signing } from "../signature.ts";

export type RenderContext = { instance: InstanceRef; appUrl: string; networkSuffix: string };

export type EventData = Readonly<Record<string, unknown>>;

/** `dedupeKey` replaces the fact's `src` where two facts are the same event in this style. */
export type RenderedEvent = { type: string; data: EventData; dedupeKey?: string };

/** The events that each kind of fact is rendered as, usually one or none. */
export type EventRenderers = {
  [T in GatewayEvent["type"]]: (event: Extract<GatewayEvent, { type: T }>, context: RenderContext) => readonly RenderedEvent[];
};

export type StyleName = "account" | "connection";

export type WebhookStyle = {
  name: StyleName;
  /** Excludes `webhook.test`, which cannot be subscribed to. */
  eventTypes: readonly string[];
  renderers: EventRenderers;
  test(at: number): EventData;
  envelope(type: string, at: number, data: EventData, instance: InstanceRef): EventData;
  signing: Signing;
  delaysS: readonly number[];
  disableAfterMs: number | null;
};

export function render(style: WebhookStyle, event: GatewayEvent, context: RenderContext): readonly RenderedEvent[] {
  return rendererOf(style.renderers, event)(event, context);
}

function rendererOf(
  renderers: EventRenderers,
  event: GatewayEvent,
): (event: GatewayEvent, context: RenderContext) => readonly RenderedEvent[] {
  return renderers[event.type] as (event: GatewayEvent, context: RenderContext) => readonly RenderedEvent[];
}

export const noEvents = (): readonly RenderedEvent[] => [];
