// What tells the webhook dialects of the two surfaces apart, as data. `account.ts` and `connection.ts` are the two values.
import type { GatewayEvent, InstanceRef } from "../../gateway-event.ts";
import type { Signing } from "../signature.ts";

/** What a rendering needs besides the event. `appUrl` has no slash at its end. */
export type RenderContext = { instance: InstanceRef; appUrl: string; networkSuffix: string };

export type EventData = Readonly<Record<string, unknown>>;

/**
 * One event as a dialect knows it. `once` names it for ever where two facts are the same news in this dialect; without it the
 * fact's own `src` does.
 */
export type RenderedEvent = { type: string; data: EventData; dedupeKey?: string };

/** One row per kind of fact: which events of the dialect it becomes; most become one, many become none. */
export type EventRenderers = {
  [T in GatewayEvent["type"]]: (event: Extract<GatewayEvent, { type: T }>, scene: RenderContext) => readonly RenderedEvent[];
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
  envelope(type: string, at: number, data: EventData, face: InstanceRef): EventData;
  signing: Signing;
  delaysS: readonly number[];
  /** null: never disabled by itself. */
  disableAfterMs: number | null;
};

/** The events of a fact in a dialect. */
export function render(style: WebhookStyle, event: GatewayEvent, scene: RenderContext): readonly RenderedEvent[] {
  return rendererOf(style.renderers, event)(event, scene);
}

/** TypeScript cannot follow that the row found by an event's type takes that event. */
function rendererOf(
  renderings: EventRenderers,
  event: GatewayEvent,
): (event: GatewayEvent, scene: RenderContext) => readonly RenderedEvent[] {
  return renderings[event.type] as (event: GatewayEvent, scene: RenderContext) => readonly RenderedEvent[];
}

/** For kinds of facts that are no event of a dialect. */
export const noEvents = (): readonly RenderedEvent[] => [];
