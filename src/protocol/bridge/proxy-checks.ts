// What pool and bridge say to each other about proxies (docs/operate/proxies.md, "Proxies").
import { z } from "zod";

export const PROXY_PROTOCOLS = ["http", "https", "socks5"] as const;

export const PROXY_STATUSES = ["healthy", "degraded", "down", "unknown"] as const;
export type ProxyStatus = (typeof PROXY_STATUSES)[number];

/** Why a check failed, in words that hold no address. */
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

/** As long as a check may take, within the bridge. */
export const PROXY_CHECK_TIMEOUT_MS = 15_000;

/** `address`: only whether the proxy's address is public; `network`: a handshake with the network's host through it. */
export const ProxyCheck = z.object({
  /** Names the check in its result. */
  check: z.string(),
  /** The proxy's address with its credentials. */
  url: z.string(),
  reach: z.enum(["address", "network"]),
  /** For the gateway's `/internal/exit-address`, asked through the proxy; null: not asked. */
  exit_ticket: z.string().nullable(),
  /** One that has waited so long for its turn is not begun, and not answered: the pool has given it up, or soon asks again. */
  start_within_ms: z.number().int().positive().default(PROXY_CHECK_TIMEOUT_MS),
  /** Somebody waits for it: it does not stand behind those of a round. */
  urgent: z.boolean().default(false),
});
export type ProxyCheck = z.infer<typeof ProxyCheck>;

export const ExitAddress = z.object({ ip: z.string().max(64).nullable(), country: z.string().max(2).nullable() });
export type ExitAddress = z.infer<typeof ExitAddress>;

/** `latency_ms`: of the whole handshake. `exit`: null when it was not asked, or not learned. */
export const ProxyCheckResult = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), latency_ms: z.number().int().nonnegative(), exit: ExitAddress.nullable() }),
  z.object({ ok: z.literal(false), error: z.enum(PROXY_ERRORS).catch("failed") }),
]);
export type ProxyCheckResult = z.infer<typeof ProxyCheckResult>;

/** A check that is over: Unix ms, and 1 when it succeeded. */
export type PastCheck = readonly [at: number, succeeded: 0 | 1];
