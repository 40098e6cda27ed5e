// Which connections need their owner, and what helps them: one step for each reason of a status.
import type { StatusReason } from "./state.ts";

/** `pair`: the number has to be linked again. `connect`: the session is started again. `read`: what to do stands on the connection's page. */
export type Help = "pair" | "connect" | "read";

/** null: nobody has to do anything, or it is as its owner wanted it. */
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

/** Of a reason that another release may have written. */
export function helpFor(reason: string | null): Help | null {
  return reason !== null && Object.hasOwn(HELP, reason) ? HELP[reason as StatusReason] : null;
}

export const ATTENTION_REASONS = Object.entries(HELP).flatMap(([reason, help]) => (help === null ? [] : [reason]));
