// The Connection object's RPC types. Methods return failures as values, because nothing is thrown across RPC.
import * as z from "zod";
import type { MediaRef } from "./content.ts";
import type { Failed, Failure, Outcome } from "./failures.ts";
import { InstanceSettings } from "./instance-settings.ts";
import { ConnectionKind } from "./operations/row.ts";

export type Caller =
  /** Connection API. The object checks that the key is active, allowed from `address`, and has `scope`. `hash` is its SHA-256 in hex. */
  | { kind: "connection_key"; hash: string; address?: string; scope?: string }
  /** The object checks that the link still works. `hash` is the token's SHA-256 in hex. */
  | { kind: "pairing_link"; hash: string }
  /** Account API and dashboard: the worker has checked the account's access to this connection. */
  | { kind: "account"; subject: string; role: "owner" | "operator" | "viewer" };

export type CallFlags = { mutating: boolean; counted: boolean; cached: boolean };

/** `key` is a key of the connection. `account_key` and `token` are credentials of the account. */
export const CALLER_KINDS = ["key", "account_key", "token", "dashboard"] as const;
export type CallerKind = (typeof CALLER_KINDS)[number];

/** Data for the request log. A call without it is not logged. */
export type CallLog = {
  caller: CallerKind;
  name: string | null;
  route: string;
  /** When the worker received the request (Unix ms). */
  receivedAt: number;
  status: number;
};

/** The final status of the response, if it differs from the status that the object expected. */
export type RequestOutcome = { id: string; status: number; code: string | null };

/** `operation` is null for an unknown route. The object returns the worker's `rejected` after the checks that take precedence. */
export type Call = {
  caller: Caller;
  requestId: string;
  method: string;
  /** The canonical route with its parameters, e.g. `/chats/5511…@c.us/messages`. */
  route: string;
  /** Canonical, so it is equal for equivalent requests (`queryOfRead`, `canonicalQuery`). */
  query: string;
  idempotencyKey: string | null;
  /** SHA-256 (hex) of method, route, query and body. It shows whether a repeated idempotency key belongs to the same request. */
  fingerprint: string;
  flags: CallFlags;
  operation: string | null;
  input: string;
  rejected: Failure | null;
  log?: CallLog;
  trace?: string;
};

/** Stores a call's files in order (`pendingMedia`). Called once, after admission, so that a refused call stores nothing. */
export type StoreFiles = (retentionMs: number) => Promise<Outcome<MediaRef[]>>;

export type LimitState = { limit: number; remaining: number; resetSeconds: number };

/** `json` is the result. `age` is how many seconds ago it was cached. `replayed` means that a repeated key got the first call's result. */
export type CallResult =
  | { ok: true; json: string; age?: number; replayed?: boolean; mismatch?: boolean; limit?: LimitState }
  | (Failed & { replayed?: boolean; mismatch?: boolean; limit?: LimitState });

/** The object's copy of the row in D1, needed on every call. The worker pushes every change. */
export const ConnectionRecord = z.object({
  /** Grows with each read from D1, so that the object can ignore a record older than its own. */
  revision: z.number().int(),
  id: z.number().int(),
  uuid: z.string(),
  owner_id: z.string(),
  name: z.string(),
  kind: ConnectionKind,
  owner_suspended: z.boolean(),
  subscription_active: z.boolean(),
  subscription_status: z.string().nullable(),
  subscription_period_end: z.string().nullable(),
  settings: InstanceSettings.prefault({}),
  proxy_url: z.string().nullable(),
  home: z.string().nullable(),
});
export type ConnectionRecord = z.infer<typeof ConnectionRecord>;

export const INSTANCE_STATUSES = ["disconnected", "connecting", "scan_qr", "connected", "failed"] as const;
export type InstanceStatus = (typeof INSTANCE_STATUSES)[number];

/** Performs a request about the account itself. It runs in the worker after the AccountGuard has admitted it. The result is JSON. */
export type AccountAction = () => Promise<Outcome<string>>;

// An Account API webhook endpoint, as the worker pushes it to every Connection object that delivers to it.
export const AccountEndpoint = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  /** The secret in plaintext, because the object encrypts its own copy. */
  secret: z.string().nullable(),
  /** These headers are already validated (`validateCustomHeaders`). */
  headers: z.record(z.string(), z.string()),
  retry_count: z.number().int().min(0).max(5),
  timeout_ms: z.number().int().min(1_000).max(30_000),
  is_active: z.boolean(),
});
export type AccountEndpoint = z.infer<typeof AccountEndpoint>;
