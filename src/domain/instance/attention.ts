// Status reasons that require action by the owner, and how the dashboard can help. The dashboard loads this file, so it must not load zod.
import type { StatusReason } from "./state.ts";

/** `pair` links the number again, and `connect` starts the session again. `read` opens the connection's page, which explains what to do. */
export type Help = "pair" | "connect" | "read";

export const HELP: Record<StatusReason, Help | null> = {
  created: null,
  manual: null,
  logged_out: "pair",
  qr_timeout: "pair",
  passkey_timeout: "pair",
  replaced: "connect",
  account_suspended: "read",
  starting: null,
  resuming: null,
  pairing: null,
  reconnecting: null,
  moving: null,
  waiting_for_update: null,
  passkey_wanted: "pair",
  waiting_scan: null,
  pairing_code_issued: null,
  ok: null,
  syncing: null,
  restricted: "read",
  banned: "read",
  locked: "read",
  temporarily_banned: "read",
  bad_session: "pair",
  reconnect_exhausted: "connect",
  proxy_error: "read",
  client_outdated: "connect",
  multidevice_mismatch: "pair",
  cloud_token_invalid: "read",
  passkey_unsupported: "pair",
  internal: "connect",
};

/** `reason` comes from D1, so this release may not know it. */
export function helpFor(reason: string | null): Help | null {
  return reason !== null && Object.hasOwn(HELP, reason) ? HELP[reason as StatusReason] : null;
}

export const ATTENTION_REASONS = Object.entries(HELP).flatMap(([reason, help]) => (help === null ? [] : [reason]));
