// Instances in the status table's initial states, reached through real triggers.
import { advance, type Trigger } from "@gateway/domain/instance/advance.ts";
import { initialState, type InstanceState } from "@gateway/domain/instance/state.ts";
import type { SessionEvent } from "@gateway/protocol/events.ts";

export const NOW = Date.UTC(2030, 0, 1);
export const PHONE = "5511900000001";

export const session = (event: SessionEvent): Trigger => ({ type: "session", event });

type Closed = Extract<SessionEvent, { type: "session.closed" }>;
export const closed = (reason: Closed["reason"], code = 0, more: Pick<Closed, "waits" | "ban"> = {}): Trigger =>
  session({ type: "session.closed", reason, code, ...more, timestamp: NOW / 1000 });
export const open = session({
  type: "session.open",
  phone: PHONE,
  lid: null,
  profile_name: "Ana",
  is_business: false,
  platform: "android",
  timestamp: NOW / 1000,
});
export const qr = (attempt = 1): Trigger =>
  session({ type: "session.qr", raw: `qr-${attempt}`, expires_at: NOW / 1000 + 60, attempt, timestamp: NOW / 1000 });
export const passkey = session({
  type: "session.passkey",
  options: { challenge: "AAAA", rpId: "whatsapp.com" },
  expires_at: NOW / 1000 + 300,
  timestamp: NOW / 1000,
});
export const paired = session({ type: "session.paired", phone: PHONE, platform: "android", is_business: false, timestamp: NOW / 1000 });
export const reconnecting = (attempt = 1): Trigger =>
  session({ type: "session.reconnecting", attempt, next_at: NOW / 1000 + 4, timestamp: NOW / 1000 });
export const connect: Trigger = { type: "connect", forceNewPairing: false };
export const suspension = (active: boolean): Trigger => ({ type: "suspension", active });
export const restricted = (ends_at: number | null = null): Trigger =>
  session({
    type: "session.restriction",
    timestamp: NOW / 1000,
    restriction: { type: "new_chats_blocked", enforcement: "X", ends_at, detected_at: NOW / 1000 },
  });
export const unrestricted = session({ type: "session.restriction", restriction: null, timestamp: NOW / 1000 });

/** Runs the triggers in sequence, all at `now`. */
export function run(state: InstanceState, triggers: readonly Trigger[], now = NOW): InstanceState {
  return triggers.reduce((reached, trigger) => advance(reached, trigger, now).state, state);
}

/** A bridge takes the lease for the state's generation. */
export function attach(state: InstanceState, now = NOW): InstanceState {
  return run(
    state,
    [
      { type: "placed", generation: state.generation, queued: false },
      { type: "attached", generation: state.generation },
    ],
    now,
  );
}

const starting = attach(run(initialState(NOW), [connect]));
const scanning = run(starting, [qr()]);
const connected = run(scanning, [paired, closed("restart_required", 515), open]);

export const AN = {
  untouched: initialState(NOW),
  starting,
  scanning,
  pairing: run(scanning, [paired]),
  connected,
  reconnecting: run(connected, [closed("lost", 428), reconnecting()]),
  manual: run(connected, [{ type: "disconnect" }]),
  banned: run(connected, [closed("banned", 403)]),
} as const;

export const status = (state: InstanceState): string => `${state.status}/${state.reason}`;
