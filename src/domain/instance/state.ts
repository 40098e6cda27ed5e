// What the Connection object knows of its instance, and its five statuses (docs/internals/architecture.md, "Statuses of an instance"). `reason`
// refines the status.
import type { InstanceStatus } from "@gateway/protocol/connection.ts";
import type { SessionEvent } from "@gateway/protocol/events.ts";
import type { PasskeyOptions } from "@gateway/protocol/bridge/passkey.ts";
import { REDIAL_WITHIN_MS } from "@gateway/protocol/session-socket.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";

/** Why an instance has its status; each belongs to one status. */
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
  // scan_qr
  "waiting_scan",
  "pairing_code_issued",
  // connected
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
 * The lease on a bridge. `placing`: the pool was asked; `assigned`: it has told a bridge to dial in. `queued`: no bridge has room; the pool remembers the request.
 * `tries`: bridges before this one that did not dial in, one after the other.
 * `turnMs`: how much longer than alone it may take to dial in, as others are before it.
 * `attached`: its socket is open. `detached`: its socket closed without being told to, and it may dial again. Times in Unix ms.
 */
export type Lease =
  | { phase: "none" }
  | { phase: "attached" }
  | { phase: "placing"; since: number; assigned?: true; tries?: number | undefined; turnMs?: number | undefined }
  | { phase: "queued"; since: number; tries?: number | undefined }
  | { phase: "detached"; since: number };

export type Restriction = NonNullable<Extract<SessionEvent, { type: "session.restriction" }>["restriction"]>;

/** Times are Unix milliseconds, except inside `qr` and `restriction` (Unix seconds, as reported). */
export type InstanceState = {
  status: InstanceStatus;
  reason: StatusReason;
  changedAt: number;
  /** Fencing token: a session with a lower number is stale. */
  generation: number;
  lease: Lease;
  /** Session credentials are stored: a start resumes instead of pairing. */
  paired: boolean;
  phone: string | null;
  /** The number that it last had, also after its session data was forgotten. */
  lastPhone: string | null;
  /** Its owner forced a new pairing while it was paired, and nobody has paired it since. */
  pairingForced: boolean;
  /** When it last got another number, or was paired anew by force (Unix ms). */
  numberChange: { at: number; from: string; to: string } | null;
  profileName: string | null;
  platform: string | null;
  isBusiness: boolean | null;
  qr: { raw: string; expires_at: number; attempt: number } | null;
  /** What a browser is to be asked for, while the reason is `passkey_wanted`. */
  passkey: { options: PasskeyOptions; expires_at: number } | null;
  /** When the bridge tries again; shown to customers. */
  reconnect: { attempt: number; nextAt: number } | null;
  /** The current run of failed attempts, which resets after 5 minutes connected. `noticed`: the owner knows of it. */
  outage: { since: number; attempts: number; noticed?: true } | null;
  restriction: Restriction | null;
  /** Of a temporary ban; `endsAt` null: the network does not say. */
  ban: { code: number | null; endsAt: number | null } | null;
  /** Since when the number's own phone has not been heard of; null: it is there, or nobody knows. */
  phoneUnseenSince: number | null;
  /** History is being received. */
  syncing: boolean;
  /** When it connected; null while it is not connected. */
  connectedAt: number | null;
  /** When a connected instance lost its session; reported after `debounceMs`. */
  droppedAt: number | null;
  lastConnectedAt: number | null;
  lastDisconnectedAt: number | null;
  badSessionAt: number | null;
  proxyRefusals: number;
  /** Times of requested pairing codes, newest last. */
  pairingCodes: readonly number[];
  /** Since when the owner's subscription has been inactive. */
  unpaidSince: number | null;
  /** The owner's account is suspended. */
  suspended: boolean;
  /** Its session was ended by a suspension or a missing subscription, and is started again when that is over. */
  held: boolean;
  /** The last status that customers were notified of; `count` makes each notice's dedupe key. */
  announced: { status: InstanceStatus; reason: StatusReason; count: number };
};

/** Side effects that the object carries out after a step. */
export type Effect =
  /** Find a bridge for a session of the state's generation. */
  | { type: "place" }
  /** Tell the sessions of older generations to end; `logout` unlinks the device first, `finish` lets them end what they have begun. */
  | { type: "stop"; logout: boolean; finish?: true }
  /** Forget credentials and signal keys. */
  | { type: "wipe" };

export type Step = { state: InstanceState; effects: readonly Effect[] };

/** docs/internals/architecture.md, "Statuses of an instance". */
export const INSTANCE_LIMITS = {
  /** A drop is reported only when the instance has not reconnected within this time. */
  debounceMs: 10_000,
  /** An outage is over after this time connected. */
  stableMs: 5 * 60_000,
  /** The owner is told of an outage after this time; it is never given up. */
  outageNoticeMs: HOUR_MS,
  badSessionWindowMs: HOUR_MS,
  maxProxyRefusals: 3,
  /**
   * How long a bridge whose socket closed may take to dial again: after a deploy it takes its time, and keeps the network's socket meanwhile. Of
   * one that is dead the pool tells at once.
   */
  redialMs: REDIAL_WITHIN_MS,
  /**
   * How long an assigned bridge may take to dial in, once it is the session's turn. Each further one gets twice as long as the one before, up
   * to `dialAtMostMs`: where thousands dial at once they wait for the gateway, and one that is placed anew makes all of them wait longer.
   */
  dialMs: 10_000,
  dialAtMostMs: 80_000,
  /** How often a queued placement request is repeated, in case the pool lost it: seldom, as all those that wait ask the same pool. */
  placementRetryMs: 10 * MINUTE_MS,
  /** How long the session stays without a subscription. */
  unpaidGraceMs: 7 * DAY_MS,
} as const;

/** A state as it is stored, maybe by an earlier release. */
export type StoredState = Omit<InstanceState, Later> & Partial<Pick<InstanceState, Later>>;
/** What earlier releases did not store. */
type Later = "lastPhone" | "pairingForced" | "numberChange" | "suspended" | "held" | "ban" | "passkey" | "phoneUnseenSince";

/** Earlier releases ended the sessions of paired numbers in the same way, without a word that they are to be started again. */
export function readState(stored: StoredState): InstanceState {
  return {
    lastPhone: stored.phone,
    pairingForced: false,
    numberChange: null,
    suspended: false,
    ban: null,
    passkey: null,
    phoneUnseenSince: null,
    held: stored.paired && stored.reason === "account_suspended",
    ...stored,
  };
}

/** When a temporary ban ends and the number then connects by itself (Unix ms); null when it will not, or has none. */
export function banOverAt({ ban, paired, suspended }: InstanceState): number | null {
  return paired && !suspended ? (ban?.endsAt ?? null) : null;
}

/** An instance nobody has connected yet. `now` is Unix ms. */
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

/** A session should exist. */
export function wantsSession(state: InstanceState): boolean {
  return state.status === "connecting" || state.status === "scan_qr" || state.status === "connected";
}

export function unchanged(state: InstanceState): Step {
  return { state, effects: [] };
}
