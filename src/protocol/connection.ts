// The Connection object's public methods, as worker, pool and cron call them. Values only: nothing is thrown across RPC.
import { z } from "zod";
import type { MediaRef } from "./content.ts";
import type { Failed, Failure, Outcome } from "./failures.ts";
import { InstanceSettings } from "./instance-settings.ts";

/** Who is calling, already authenticated as far as the edge can. */
export type Caller =
  /** The Connection API: the object decides whether the key is active (SHA-256, hex). */
  | { kind: "connection_key"; hash: string }
  /** The Account API and the dashboard: the worker has checked the account's right to this connection. */
  | { kind: "account"; subject: string; role: "owner" | "operator" | "viewer" };

/** What a route declares about itself (route tables are data). */
export type CallFlags = { mutating: boolean; counted: boolean; cached: boolean };

/**
 * One authenticated request. `operation` names what the object shall do (null: no such route, so only the checks that come
 * before 404 apply). `rejected` carries what the edge found wrong with the body: it is answered only after the checks that
 * come first (docs/admission.md, "Order of the checks").
 */
export type Call = {
  caller: Caller;
  requestId: string;
  method: string;
  /** Canonical route with its parameters filled in, e.g. `/chats/5511…@c.us/messages`. */
  route: string;
  /** Sorted, decoded-then-encoded query; "" when none. */
  query: string;
  idempotencyKey: string | null;
  /** SHA-256 (hex) of method, route, query and body: tells whether a repeated idempotency key means the same request. */
  fingerprint: string;
  flags: CallFlags;
  operation: string | null;
  /** JSON of the operation's input. */
  input: string;
  rejected: Failure | null;
};

type CallFacts = Pick<Call, "caller" | "requestId" | "method" | "route" | "flags" | "operation"> &
  Partial<Pick<Call, "query" | "idempotencyKey" | "fingerprint" | "rejected">> & { input?: unknown };

export function makeCall({ input = {}, ...facts }: CallFacts): Call {
  return { query: "", idempotencyKey: null, fingerprint: "", rejected: null, ...facts, input: JSON.stringify(input) };
}

/**
 * Stores the files of a call, in the order of their places (`pendingMedia`). The object asks for it once, when it has admitted the
 * call and checked all it can: a refused or repeated call stores and fetches nothing, and no object ever sees a file. How long they are
 * kept is the object's to say: its owner decides.
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

/** Copies of D1 facts that the object needs on every call; pushed by the verb that changes them. */
export const ConnectionRecord = z.object({
  id: z.number().int(),
  uuid: z.string(),
  owner_id: z.string(),
  name: z.string(),
  kind: z.enum(["session", "cloud_api"]),
  subscription_active: z.boolean(),
  subscription_status: z.string().nullable(),
  subscription_period_end: z.string().nullable(),
  /** A record stored before there were any has the settings of an instance whose owner never set one. */
  settings: InstanceSettings.prefault({}),
  /** Where its traffic to the network goes, with credentials; null: straight there. */
  proxy_url: z.string().nullable().default(null),
});
export type ConnectionRecord = z.infer<typeof ConnectionRecord>;

/** docs/architecture.md, "Statuses of an instance". */
export const INSTANCE_STATUSES = ["disconnected", "connecting", "scan_qr", "connected", "failed"] as const;
export type InstanceStatus = (typeof INSTANCE_STATUSES)[number];

/** What the account's caller asked for: JSON of the result. The worker carries it out, once the object has admitted the call. */
export type AccountAction = () => Promise<Outcome<string>>;
