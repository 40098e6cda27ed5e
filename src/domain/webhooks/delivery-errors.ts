// Values of `last_error` in the Account API (docs/use/account-api.md, "Webhook endpoints").
import type { DeliveryError } from "./delivery.ts";

export const DELIVERY_ERRORS: Record<DeliveryError, string> = {
  timeout: "no response in time",
  connection_failed: "the connection failed",
  redirect: "the receiver responded with a redirect, which the gateway does not follow",
  not_2xx: "the receiver responded with a status other than 2xx",
  url_not_allowed: "the url is not allowed: use a public https address",
  queue_full: "dropped: too many deliveries were waiting for this receiver",
  webhook_disabled: "not sent: the webhook is disabled",
};

export function deliveryErrorText(stored: string | null): string | null {
  if (stored === null) return null;
  const texts: Readonly<Record<string, string>> = DELIVERY_ERRORS;
  return texts[stored] ?? stored;
}
