// An instance's state and its five statuses (docs/internals/statuses.md, "Statuses of an instance"). `reason` refines the status.
import type { InstanceStatus } from "@gateway/protocol/connection.ts";
import type { SessionEvent } from "@gateway/protocol/events.ts";
import type { PasskeyOptions } from "@gateway/protocol/passkey.ts";
import { REDIAL_WITHIN_MS } from "@gateway/protocol/session-socket.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { notAhead } from "../clock-set-back.ts";

export const STATUS_REASONS = [
  // disconnected: no socket, and no automatic reconnect
  "created",
  "manual",
  "logged_out",
  "qr_timeout",
  "passkey_timeout",
  "replaced",
  "account_suspended",
  // connecting: a socket is being opened, or a reconnect is scheduled
  "starting",
  "resuming",
  "pairing",
  "reconnecting",
  "moving",
  "waiting_for_update",
  "passkey_wanted",
  "waiting_scan",
  "pairing_code_issued",
  "ok",
  "syncing",
  "restricted",
  // failed: no further attempts; the owner has to act
  "banned",
  "locked",
  "temporarily_banned",
  "bad_session",
  "reconnect_exhausted",
  "proxy_error",
  "client_outdated",
  "multidevice_mismatch",
  "cloud_token_invalid",
  "passkey_unsupported",
  "internal",
] as const;
export type StatusReason = (typeof STATUS_REASONS)[number];

/**
 * `assigned` means that the pool told a bridge to connect. While `queued`, no bridge has capacity, and the pool keeps the request. `tries`
 * counts consecutive bridges that did not connect. `waitMs` is extra time, because other sessions connect first. While `detached`, the
 * socket has closed unexpectedly and may reconnect. Times are in Unix ms.
 */
export type Lease =
  | { phase: "none" }
  | { phase: "attached" }
  | { phase: "placing"; since: number; assigned?: true; tries?: number | undefined; waitMs?: number | undefined }
  | { phase: "queued"; since: number; tries?: number | undefined }
  | { phase: "detached"; since: number };

export type Restriction = NonNullable<Extract<SessionEvent, { type: "session.restriction" }>["restriction"]>;

/** Times are in Unix ms, except inside `qr` and `restriction` (Unix seconds, as reported). */
export type InstanceState = {
  status: InstanceStatus;
  reason: StatusReason;
  changedAt: number;
  /** Fencing token. Sessions with a lower number are outdated. */
  generation: number;
  lease: Lease;
  /** True if credentials are stored, so that a start resumes the session instead of pairing. */
  paired: boolean;
  phone: string | null;
  lastPhone: string | null;
  /** The owner has forced a new pairing, and no phone has been paired since then. */
  pairingForced: boolean;
  numberChange: { at: number; from: string; to: string } | null;
  profileName: string | null;
  platform: string | null;
  isBusiness: boolean | null;
  qr: { raw: string; expires_at: number; attempt: number } | null;
  passkey: { options: PasskeyOptions; expires_at: number } | null;
  /** The bridge's next attempt to reconnect, as shown to customers. */
  reconnect: { attempt: number; nextAt: number } | null;
  /** The current series of failed attempts. It ends after 5 minutes of being connected. `noticed` means that the owner was notified. */
  outage: { since: number; attempts: number; noticed?: true } | null;
  restriction: Restriction | null;
  ban: { code: number | null; endsAt: number | null } | null;
  /** When the number's own phone was last seen, if it is absent. Null if the phone is present or unknown. */
  phoneUnseenSince: number | null;
  syncing: boolean;
  connectedAt: number | null;
  /** When a connected instance lost its session. The loss is announced after `debounceMs`. */
  droppedAt: number | null;
  lastConnectedAt: number | null;
  lastDisconnectedAt: number | null;
  badSessionAt: number | null;
  proxyRefusals: number;
  pairingCodes: readonly number[];
  unpaidSince: number | null;
  suspended: boolean;
  /** The session ended because of a suspension or a missing subscription, and restarts once that is over. */
  held: boolean;
  /** The last status announced to customers. `count` is part of the notice's dedupe key. */
  announced: { status: InstanceStatus; reason: StatusReason; count: number };
};

export type Effect =
  | { type: "place" }
  /** Ends the sessions of older generations. `logout` first unlinks the device. `finish` lets in-flight sends and commands complete. */
  | { type: "stop"; logout: boolean; finish?: true }
  | { type: "wipe" };

export type Step = { state: InstanceState; effects: readonly Effect[] };

export const INSTANCE_LIMITS = {
  /** How long a drop must last before it is announced. */
  debounceMs: 10_000,
  stableMs: 5 * 60_000,
  /** How long an outage must last before the owner is notified. The session keeps trying to reconnect. */
  outageNoticeMs: HOUR_MS,
  badSessionWindowMs: HOUR_MS,
  maxProxyRefusals: 3,
  /** How long a bridge may take to redial, for example after a deploy. The pool reports dead bridges at once. */
  redialMs: REDIAL_WITHIN_MS,
  /** Doubles with each additional bridge, up to `dialAtMostMs`, because every replaced bridge makes all other sessions wait longer. */
  dialMs: 10_000,
  dialAtMostMs: 80_000,
  /** A queued request is repeated, in case the pool lost it. The time is long, because all waiting sessions call the same pool. */
  placementRetryMs: 10 * MINUTE_MS,
  unpaidGraceMs: 7 * DAY_MS,
} as const;

/** When a temporary ban ends and the number reconnects automatically (Unix ms), or null if it never does. */
export function banOverAt({ ban, paired, suspended }: InstanceState): number | null {
  return paired && !suspended ? (ban?.endsAt ?? null) : null;
}

export function initialState(now: number): InstanceState {
  return {
    status: "disconnected",
    reason: "created",
    changedAt: now,
    generation: 0,
    lease: { phase: "none" },
    paired: false,
    phone: null,
    lastPhone: null,
    pairingForced: false,
    numberChange: null,
    profileName: null,
    platform: null,
    isBusiness: null,
    qr: null,
    passkey: null,
    reconnect: null,
    outage: null,
    restriction: null,
    ban: null,
    phoneUnseenSince: null,
    syncing: false,
    connectedAt: null,
    droppedAt: null,
    lastConnectedAt: null,
    lastDisconnectedAt: null,
    badSessionAt: null,
    proxyRefusals: 0,
    pairingCodes: [],
    unpaidSince: null,
    suspended: false,
    held: false,
    announced: { status: "disconnected", reason: "created", count: 0 },
  };
}

export function wantsSession(state: InstanceState): boolean {
  return state.status === "connecting" || state.status === "scan_qr" || state.status === "connected";
}

export function unchanged(state: InstanceState): Step {
  return { state, effects: [] };
}

const PAST = [
  "changedAt",
  "connectedAt",
  "droppedAt",
  "lastConnectedAt",
  "lastDisconnectedAt",
  "badSessionAt",
  "unpaidSince",
  "phoneUnseenSince",
] as const satisfies readonly (keyof InstanceState)[];

/** Longer than the longest reconnect delay of a bridge. */
const LONGEST_BACKOFF_MS = HOUR_MS;

/** Resets times in the future after the clock was set back, except a ban's end. Returns the same object if there are none. */
export function withoutTimesAhead(state: InstanceState, now: number): InstanceState {
  const past = <T extends number | null>(at: T): T | number => (at === null ? at : notAhead(at, 0, now));
  const { lease, outage, numberChange, reconnect } = state;
  const mended: InstanceState = {
    ...state,
    ...Object.fromEntries(PAST.map((name) => [name, past(state[name])])),
    lease: leaseOf(lease, now),
    outage: outage && { ...outage, since: past(outage.since) },
    numberChange: numberChange && { ...numberChange, at: past(numberChange.at) },
    reconnect: reconnect && { ...reconnect, nextAt: notAhead(reconnect.nextAt, LONGEST_BACKOFF_MS, now) },
  };
  return JSON.stringify(mended) === JSON.stringify(state) ? state : mended;
}

function leaseOf(lease: Lease, now: number): Lease {
  return "since" in lease ? { ...lease, since: notAhead(lease.since, 0, now) } : lease;
}
