import type { Ban, SessionEvent } from "@gateway/protocol/events.ts";
import { HOUR_MS } from "@gateway/protocol/units.ts";

type ClosedReason = Extract<SessionEvent, { type: "session.closed" }>["reason"];

/** `wait` lasts until the client version changes, `stop` until a caller connects again. `wipe` deletes an unlinked number's credentials. */
type Next = "at_once" | "backoff" | "wait" | "stop" | "wipe";

export type Disconnect = { code: number; reason: ClosedReason; next: Next; ban?: Ban };

/** Baileys' `lastDisconnect.error` (a Boom). `data` contains the attributes of a `failure` stanza. */
export type DisconnectError = { statusCode: number; message: string; data?: Readonly<Record<string, unknown>> };

export type Pause = { firstMs: number; capMs: number };

const BY_CODE: Readonly<Record<number, Disconnect>> = {
  401: { code: 401, reason: "logged_out", next: "wipe" },
  402: { code: 402, reason: "temporarily_banned", next: "stop" },
  // The account is locked, or the phone has signed this device off. The code distinguishes this ban from 406.
  403: { code: 403, reason: "banned", next: "stop" },
  405: { code: 405, reason: "client_outdated", next: "wait" },
  406: { code: 406, reason: "banned", next: "stop" },
  408: { code: 408, reason: "lost", next: "backoff" },
  // The network refuses the user agent, which includes the version.
  409: { code: 409, reason: "client_outdated", next: "wait" },
  411: { code: 411, reason: "multidevice_mismatch", next: "stop" },
  415: { code: 415, reason: "bad_session", next: "stop" },
  418: { code: 418, reason: "bad_session", next: "stop" },
  428: { code: 428, reason: "lost", next: "backoff" },
  429: { code: 429, reason: "lost", next: "backoff" },
  // Another socket of this device is connected. Reconnecting would make the two disconnect each other.
  440: { code: 440, reason: "replaced", next: "stop" },
  500: { code: 500, reason: "bad_session", next: "backoff" },
  503: { code: 503, reason: "lost", next: "backoff" },
  515: { code: 515, reason: "restart_required", next: "at_once" },
};

const LOST: Disconnect = { code: 428, reason: "lost", next: "backoff" };
/** The network closed the socket without a code, as it does when it recycles sockets. */
const CODELESS: Disconnect = { code: 0, reason: "lost", next: "backoff" };
const BAD_SESSION = 500;
const TEMPORARY_BAN = 402;
const TOO_MANY = 429;

const PAUSE: Pause = { firstMs: 1_000, capMs: 300_000 };
const LONG_PAUSE: Pause = { firstMs: 60_000, capMs: 1_800_000 };

/** Short pauses suffice, because the network works and may hold messages for us, and only this side closed the socket. */
export const OWN_PAUSE: Pause = { firstMs: 1_000, capMs: 15_000 };

export function pauseAfter({ code }: Disconnect): Pause {
  return code === TOO_MANY ? LONG_PAUSE : PAUSE;
}

export function disconnectOf(
  error: DisconnectError | undefined,
  proxied: { throughProxy: boolean; wasOpen: boolean },
  now: number,
): Disconnect {
  if (error === undefined) return LOST;
  if (error.message.startsWith("QR refs attempts ended")) return { code: 408, reason: "qr_timeout", next: "stop" };
  // HTTP and system errors use the same numbers. Credentials are deleted only if the network itself reports the logout.
  if (error.message.startsWith("WebSocket Error")) {
    return proxied.throughProxy && !proxied.wasOpen ? { code: 0, reason: "proxy_error", next: "backoff" } : LOST;
  }
  // The library also assigns status 500 to stream errors without a code. The network's own 500 is contained in a `failure`.
  if (error.statusCode === BAD_SESSION && error.message.startsWith("Stream Errored")) return CODELESS;
  const disconnect = BY_CODE[error.statusCode] ?? LOST;
  return disconnect.code === TEMPORARY_BAN ? { ...disconnect, ban: banOf(error.data ?? {}, now) } : disconnect;
}

function banOf({ code, expire }: Readonly<Record<string, unknown>>, now: number): Ban {
  // A missing value or "0" means an open-ended ban, so do not log in again.
  const seconds = wholeNumber(expire) ?? 0;
  return { code: wholeNumber(code), ends_at: seconds === 0 ? null : now + seconds };
}

function wholeNumber(text: unknown): number | null {
  return typeof text === "string" && /^\d{1,10}$/.test(text) ? Number(text) : null;
}

const BAD_SESSION_WINDOW_MS = HOUR_MS;
const MAX_PROXY_ATTEMPTS = 3;

/** Failed attempts are forgotten after five minutes of being connected. There is no limit on attempts, because outages can last hours. */
export class ReconnectBudget {
  #attempts = 0;
  #ownAttempts = 0;
  #proxyErrors = 0;
  #lastBadSession = Number.NEGATIVE_INFINITY;

  next(disconnect: Disconnect, now: number): { attempt: number } | { gaveUp: "bad_session" | "proxy_error" } {
    if (disconnect.reason === "bad_session") {
      const again = now - this.#lastBadSession < BAD_SESSION_WINDOW_MS;
      this.#lastBadSession = now;
      if (again) return { gaveUp: "bad_session" };
    }
    this.#proxyErrors = disconnect.reason === "proxy_error" ? this.#proxyErrors + 1 : 0;
    if (this.#proxyErrors >= MAX_PROXY_ATTEMPTS) return { gaveUp: "proxy_error" };
    this.#attempts += 1;
    return { attempt: this.#attempts };
  }

  /** The next attempt after this side has closed the socket. Such attempts are counted separately. */
  nextOwn(): { attempt: number } {
    this.#ownAttempts += 1;
    return { attempt: this.#ownAttempts };
  }

  forgetProxyErrors(): void {
    this.#proxyErrors = 0;
  }

  reset(): void {
    this.#attempts = 0;
    this.#ownAttempts = 0;
  }
}
