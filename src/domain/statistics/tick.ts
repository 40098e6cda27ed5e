// One hour of a connection as its strip shows it. Types alone come from the contract, so that a browser can take it as it is.
import type { InstanceStatus } from "@gateway/protocol/connection.ts";
import type { ActivityHour } from "@gateway/protocol/records.ts";

/** `at`: when the hour began, Unix ms. `status` null: nothing is known of the hour. */
export type Tick = { at: number; messages: number; status: InstanceStatus | null };

/** The worst first. */
const WORST_FIRST: readonly InstanceStatus[] = ["failed", "disconnected", "scan_qr", "connecting", "connected"];

/**
 * One tick of the strip: the worst status that lasted a minute, or else the one that lasted longest; null: nothing is known. The hour of a
 * pairing that succeeded is a connected one, whatever came before.
 */
export function tickOf({ at, minutes, sent, received }: ActivityHour): Tick {
  const longest = WORST_FIRST.reduce((one, other) => (minutes[other] > minutes[one] ? other : one));
  const worst = WORST_FIRST.find((status) => minutes[status] >= 1) ?? (minutes[longest] > 0 ? longest : null);
  const paired = minutes.scan_qr > 0 && minutes.connected > 0;
  return { at, messages: sent + received, status: paired ? "connected" : worst };
}
