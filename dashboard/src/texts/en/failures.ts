import type { Texts } from "../catalog.ts";
import type pt from "../pt/failures.ts";

const en: Texts<typeof pt> = {
  invalid_json: "The request arrived incomplete. Reload the page and try again.",
  body_incomplete: "The request arrived incomplete. Check your internet connection and try again.",
  validation_error: "Some fields need fixing.",
  invalid_idempotency_key: "Something was wrong with the request. Reload the page and try again.",
  https_required: "Use the address that starts with https://.",
  new_chat_refused: "This number is set to reply only, and this person hasn't written yet.",
  bearer_required: "Sign in again to continue.",
  route_not_found: "This page is out of date. Reload it.",
  method_not_allowed: "This page is out of date. Reload it.",
  instance_not_found: "Connection not found.",
  passkey_not_wanted: "WhatsApp isn't asking for the passkey right now.",
  qr_not_available: "There's no QR code right now. Get a new one.",
  content_differs: "This message was already sent. Check the chat before you send it again.",
  instance_limit: "Your plan doesn't allow more connections.",
  proxy_full: "The proxy doesn't have room for that many connections.",
  proxy_in_use: "This proxy is in use. Move its connections to other proxies first.",
  webhook_inactive: "The webhook is disabled. Reactivate it first.",
  without_session: "You can't do this with this kind of connection, because it has no session.",
  body_too_large: "What you're sending is too large.",
  unsupported_media_type: "Something was wrong with the request. Reload the page and try again.",
  media_unreachable: "Couldn't download the file from that address.",
  limit_of_kind: "You've exceeded the limit for this kind of connection.",
  url_not_allowed: "This address isn't allowed: it has to be public and use https.",
  rate_limited: "Too many requests in a short time. Wait a moment.",
  repeated_read: "Too many identical requests in a short time. Wait a moment and try again.",
  too_many_attempts: "Too many attempts. Wait a moment.",
  internal_error: "Something went wrong on our side. If it happens again, give support the ID shown under Technical details.",
  not_supported: "This feature isn't available for this kind of connection.",
};
export default en;
