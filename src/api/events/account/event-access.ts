// A caller may read an event if it may call the route with the same answer (docs/use/account-api.md, "Authentication").
import type { Scope } from "@gateway/domain/keys/scopes.ts";
import { ACCOUNT_EVENTS } from "@gateway/domain/webhooks/style/account.ts";
import { accessOf, type AccountContext } from "../../context.ts";

export type EventType = (typeof ACCOUNT_EVENTS)[number];

/** The code of `instance.qr` links a phone, which the scope `read` must not allow. */
const SCOPES: Partial<Record<EventType, Scope>> = { "instance.qr": "manage" };

export function mayReadEvent({ scopes }: Pick<AccountContext, "scopes">, type: string): boolean {
  const scope = SCOPES[type as EventType];
  return scope === undefined || scopes.includes(scope);
}

/** Considers the caller's role too. null: all. */
export function readableEvents(context: AccountContext, requested: EventType[] | null): EventType[] | null {
  const isViewer = accessOf(context).role === "viewer";
  const mayRead = (type: EventType) => mayReadEvent(context, type) && !(isViewer && type in SCOPES);
  return requested === null && ACCOUNT_EVENTS.every(mayRead) ? null : (requested ?? [...ACCOUNT_EVENTS]).filter(mayRead);
}
