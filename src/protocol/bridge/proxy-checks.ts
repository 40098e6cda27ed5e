// Proxy checks: the pool's requests to a bridge, and the bridge's results (docs/operate/proxies.md, "Proxies").
import * as z from "zod";

export const PROXY_PROTOCOLS = ["http", "https", "socks5"] as const;

export const PROXY_STATUSES = ["healthy", "degraded", "down", "unknown"] as const;
export type ProxyStatus = (typeof PROXY_STATUSES)[number];

/** None of these codes reveals an address. */
export const PROXY_ERRORS = [
  "address_not_allowed",
  "name_not_found",
  "connection_refused",
  "timeout",
  "credentials_refused",
  "proxy_refused",
  "tls_failed",
  "failed",
] as const;
export type ProxyError = (typeof PROXY_ERRORS)[number];

export const PROXY_CHECK_TIMEOUT_MS = 15_000;

/** `address`: only checks that the proxy's address is public. `network`: performs a handshake with the network's host through the proxy. */
export const ProxyCheck = z.object({
  check: z.string(),
  /** The proxy's URL, including the credentials. */
  url: z.string(),
  reach: z.enum(["address", "network"]),
  /** Ticket for `/internal/exit-address`, which the bridge calls through the proxy; null: no such call. */
  exit_ticket: z.string().nullable(),
  /** A check that has been queued for longer is dropped without a result, because the pool has given up on it or will repeat it. */
  start_within_ms: z.number().int().positive().default(PROXY_CHECK_TIMEOUT_MS),
  /** True if somebody is waiting, so that the check goes ahead of scheduled ones. */
  urgent: z.boolean().default(false),
});
export type ProxyCheck = z.infer<typeof ProxyCheck>;

export const ExitAddress = z.object({ ip: z.string().max(64).nullable(), country: z.string().max(2).nullable() });
export type ExitAddress = z.infer<typeof ExitAddress>;

/** `latency_ms`: duration of the whole handshake. `exit`: null when the exit address was not requested or not found. */
export const ProxyCheckResult = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), latency_ms: z.number().int().nonnegative(), exit: ExitAddress.nullable() }),
  z.object({ ok: z.literal(false), error: z.enum(PROXY_ERRORS).catch("failed") }),
]);
export type ProxyCheckResult = z.infer<typeof ProxyCheckResult>;

export type PastCheck = readonly [at: number, succeeded: 0 | 1];
