// One hour of a connection in the dashboard's activity strip. Imports only types, so that the browser can use it.
import type { InstanceStatus } from "@gateway/protocol/connection.ts";
import type { ActivityHour } from "@gateway/protocol/records.ts";

type Tick = { at: number; messages: number; status: InstanceStatus | null };

const WORST_FIRST: readonly InstanceStatus[] = ["failed", "disconnected", "scan_qr", "connecting", "connected"];

/** The worst status that lasted a minute, otherwise the longest one, or null if it is unknown. Successful pairing is shown as connected. */
export function tickOf({ at, minutes, sent, received }: ActivityHour): Tick {
  const longest = WORST_FIRST.reduce((one, other) => (minutes[other] > minutes[one] ? other : one));
  const worst = WORST_FIRST.find((status) => minutes[status] >= 1) ?? (minutes[longest] > 0 ? longest : null);
  const paired = minutes.scan_qr > 0 && minutes.connected > 0;
  return { at, messages: sent + received, status: paired ? "connected" : worst };
}
