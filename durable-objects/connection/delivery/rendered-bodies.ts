// Renders events for their receivers. An event that cannot be rendered for one API is logged and left out there, and the receivers of the
// other API still get it.
import type { GatewayFact } from "@gateway/domain/gateway-event.ts";
import { serializeBody } from "@gateway/domain/webhooks/style/body.ts";
import { render, type RenderContext, type WebhookStyle } from "@gateway/domain/webhooks/style/style.ts";
import { errorFields, log } from "#root/src/log.ts";

export type RenderedBody = { type: string; dedupeKey: string; text: string };

/** `receiver` is for the log. */
export function renderBodies(
  style: WebhookStyle,
  { event, key, at }: GatewayFact,
  context: RenderContext,
  receiver: string,
  isWanted: (type: string) => boolean = () => true,
): RenderedBody[] {
  const { instance } = context;
  try {
    return render(style, event, context)
      .map(({ type, data, dedupeKey }, index) => ({ type, data, dedupeKey: dedupeKey ?? `${key}#${index}` }))
      .filter(({ type }) => isWanted(type))
      .map(({ type, data, dedupeKey }) => ({ type, dedupeKey, text: serializeBody(style, type, at, data, instance) }));
  } catch (error) {
    const fields = { connection: instance.uuid, type: event.type, receiver, style: style.name };
    log("session.event_failed", { ...fields, ...errorFields(error) });
    return [];
  }
}
