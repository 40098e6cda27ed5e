// Values of `last_error` in the Account API (docs/use/account-api.md, "Webhook endpoints").
import type { DeliveryError } from "./delivery.ts";

export const DELIVERY_ERRORS: Record<DeliveryError, string> = {
  timeout: "no answer in time",
  connection_failed: "the connection failed",
  redirect: "answered with a redirect, which is not followed",
  not_2xx: "answered with a status other than 2xx",
  url_not_allowed: "the url is not allowed: it must be a public https address",
  queue_full: "given up: too many deliveries were waiting for this receiver",
  webhook_disabled: "not sent: the webhook is switched off",
};

export function deliveryErrorText(stored: string | null): string | null {
  if (stored === null) return null;
  const texts: Readonly<Record<string, string>> = DELIVERY_ERRORS;
  return texts[stored] ?? stored;
}
