// A caller may read an event if it may call the route that returns the same data (docs/use/account-api.md, "Authentication").
import type { Scope } from "@gateway/domain/keys/scopes.ts";
import { ACCOUNT_EVENTS } from "@gateway/domain/webhooks/style/account.ts";
import { accessOf, type AccountContext } from "../../context.ts";

export type EventType = (typeof ACCOUNT_EVENTS)[number];

/** `instance.qr` requires more than the `read` scope, because its code can link a phone. */
const SCOPES: Partial<Record<EventType, Scope>> = { "instance.qr": "manage" };

export function mayReadEvent({ scopes }: Pick<AccountContext, "scopes">, type: string): boolean {
  const scope = SCOPES[type as EventType];
  return scope === undefined || scopes.includes(scope);
}

/** Like the scopes, the caller's role limits the events. Null means all events. */
export function readableEvents(context: AccountContext, requested: EventType[] | null): EventType[] | null {
  const isViewer = accessOf(context).role === "viewer";
  const mayRead = (type: EventType) => mayReadEvent(context, type) && !(isViewer && type in SCOPES);
  return requested === null && ACCOUNT_EVENTS.every(mayRead) ? null : (requested ?? [...ACCOUNT_EVENTS]).filter(mayRead);
}
