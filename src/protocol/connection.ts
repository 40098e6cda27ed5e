// Types of the Connection object's public methods, as worker, pool and cron call them. Failures are values: nothing is thrown across RPC.
import { z } from "zod";
import type { MediaRef } from "./content.ts";
import type { Failed, Failure, Outcome } from "./failures.ts";
import { InstanceSettings } from "./instance-settings.ts";
import { Kind } from "./operations/kinds.ts";

/** The caller, authenticated as far as the edge can. */
export type Caller =
  /** The Connection API: the object decides whether the key is active (SHA-256, hex). */
  | { kind: "connection_key"; hash: string }
  /** A pairing link: the object decides whether it still works (SHA-256 of its token, hex). */
  | { kind: "pairing_link"; hash: string }
  /** The Account API and the dashboard: the worker has checked the account's right to this connection. */
  | { kind: "account"; subject: string; role: "owner" | "operator" | "viewer" };

/** What a route row declares. */
export type CallFlags = { mutating: boolean; counted: boolean; cached: boolean };

/** Who asked: a key of the connection, one of the account, an access token of the account, or the dashboard. */
export const CALLER_KINDS = ["key", "account_key", "token", "dashboard"] as const;
export type CallerKind = (typeof CALLER_KINDS)[number];

/** What the worker knows of a call, and the log shows; a call without it is not logged. */
export type CallLog = {
  caller: CallerKind;
  /** Of an account's key; the connection's own are named by the object. */
  name: string | null;
  /** The pattern of the route, e.g. `/api/v1/chats/{chatId}/messages`. */
  route: string;
  /** When the request arrived at the worker (Unix ms). */
  receivedAt: number;
  /** The status of the answer when the call succeeds. */
  status: number;
};

/** How an answer turned out otherwise than the object had to expect. */
export type RequestOutcome = { id: string; status: number; code: string | null };

/**
 * One authenticated request. `operation` null: no such route, so only the checks that come before 404 apply. `rejected`: what
 * the edge found wrong with the request; it is answered only after the checks that come first (docs/internals/admission.md, "Order of the checks").
 */
export type Call = {
  caller: Caller;
  requestId: string;
  method: string;
  /** Canonical route with its parameters filled in, e.g. `/chats/5511…@c.us/messages`. */
  route: string;
  /** Canonical query: equal for requests that mean the same (`queryOfRead`, `canonicalQuery`). */
  query: string;
  idempotencyKey: string | null;
  /** SHA-256 (hex) of method, route, query and body: tells whether a repeated idempotency key means the same request. */
  fingerprint: string;
  flags: CallFlags;
  operation: string | null;
  /** JSON of the operation's input. */
  input: string;
  rejected: Failure | null;
  /** How the request log shows it; absent: it does not. */
  log?: CallLog;
  /** `traceparent` of the span that makes the call; absent: it is not traced. */
  trace?: string;
};

type CallFacts = Pick<Call, "caller" | "requestId" | "method" | "route" | "flags" | "operation"> &
  Partial<Pick<Call, "query" | "idempotencyKey" | "fingerprint" | "rejected" | "log">> & { input?: unknown };

export function makeCall({ input = {}, ...facts }: CallFacts): Call {
  return { query: "", idempotencyKey: null, fingerprint: "", rejected: null, ...facts, input: JSON.stringify(input) };
}

/**
 * Stores the files of a call, in the order of their places (`pendingMedia`). The object calls it once, when it has admitted and checked
 * the call: a refused or repeated call stores and fetches nothing, and no object ever handles a file's bytes. The object passes the
 * retention time, which is a setting of the owner.
 */
export type StoreFiles = (retentionMs: number) => Promise<Outcome<MediaRef[]>>;

/** State of the burst limit after this call, for the `RateLimit` headers. */
export type LimitState = { limit: number; remaining: number; resetSeconds: number };

/**
 * `json` is the operation's neutral result; the surface renders it. `age` (seconds) only when it came from the read cache.
 * `replayed` when it is the first answer of a repeated idempotency key; then failures are replayed too.
 */
export type Answer =
  | { ok: true; json: string; age?: number; replayed?: boolean; mismatch?: boolean; limit?: LimitState }
  | (Failed & { replayed?: boolean; mismatch?: boolean; limit?: LimitState });

/** The object's copy of the D1 record, needed on every call; every change is pushed to it. */
export const ConnectionRecord = z.object({
  /** The order in which records are read from D1: the object ignores one below its own. 0: the release before does not number them. */
  revision: z.number().int().default(0),
  id: z.number().int(),
  uuid: z.string(),
  owner_id: z.string(),
  name: z.string(),
  kind: Kind,
  /** The owner's account is suspended. */
  owner_suspended: z.boolean().default(false),
  subscription_active: z.boolean(),
  subscription_status: z.string().nullable(),
  subscription_period_end: z.string().nullable(),
  /** Records that were stored before settings existed get the defaults. */
  settings: InstanceSettings.prefault({}),
  /** The proxy of its traffic to the network, with credentials; null: none. */
  proxy_url: z.string().nullable().default(null),
  /** The pool that gives it its bridge; null: `default`. */
  home: z.string().nullable().default(null),
});
export type ConnectionRecord = z.infer<typeof ConnectionRecord>;

/** docs/internals/architecture.md, "Statuses of an instance". */
export const INSTANCE_STATUSES = ["disconnected", "connecting", "scan_qr", "connected", "failed"] as const;
export type InstanceStatus = (typeof INSTANCE_STATUSES)[number];

/** Carries out a request about the account itself, in the worker, once the AccountGuard has admitted it. Returns JSON of the result. */
export type AccountAction = () => Promise<Outcome<string>>;
