// A webhook style contains everything that differs between the two APIs' deliveries. The styles are in `account.ts` and `connection.ts`.
import type { GatewayEvent, InstanceRef } from "../../gateway-event.ts";
import type { Signing } from "../signature.ts";

export type RenderContext = { instance: InstanceRef; appUrl: string; networkSuffix: string };

export type EventData = Readonly<Record<string, unknown>>;

/** `dedupeKey` replaces the fact's `key` if two facts are the same event in this style. */
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
