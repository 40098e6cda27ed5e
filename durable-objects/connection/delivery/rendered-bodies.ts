// Renders events for their receivers. An event that one API cannot render is logged and left out only there.
import type { GatewayFact } from "@gateway/domain/gateway-event.ts";
import { serializeBody } from "@gateway/domain/webhooks/style/body.ts";
import { render, type RenderContext, type WebhookStyle } from "@gateway/domain/webhooks/style/style.ts";
import { errorFields, log } from "#root/src/log.ts";

export type RenderedBody = { type: string; dedupeKey: string; text: string };

/** Receivers for which an event's failure was logged. A resumed stream renders missed events again, but must not log them again. */
const logged = new WeakMap<GatewayFact, Set<string>>();

/** `receiver` is used only in the log. */
export function renderBodies(
  style: WebhookStyle,
  fact: GatewayFact,
  context: RenderContext,
  receiver: string,
  isWanted: (type: string) => boolean = () => true,
): RenderedBody[] {
  const { event, key, at } = fact;
  const { instance } = context;
  try {
    return render(style, event, context)
      .map(({ type, data, dedupeKey }, index) => ({ type, data, dedupeKey: dedupeKey ?? `${key}#${index}` }))
      .filter(({ type }) => isWanted(type))
      .map(({ type, data, dedupeKey }) => ({ type, dedupeKey, text: serializeBody(style, type, at, data, instance) }));
  } catch (error) {
    const fields = { connection: instance.uuid, type: event.type, receiver, surface: style.name };
    if (isFirst(fact, `${receiver} ${style.name}`)) log("session.event_failed", { ...fields, ...errorFields(error) });
    return [];
  }
}

function isFirst(fact: GatewayFact, receiver: string): boolean {
  const receivers = logged.get(fact) ?? new Set();
  if (receivers.has(receiver)) return false;
  logged.set(fact, receivers.add(receiver));
  return true;
}
