import { DAY_MS, HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";

/** Limits that both APIs share (docs/internals/admission.md, "Burst limit"). */
export const LIMITS = {
  burst: { requests: 200, windowMs: 10_000 },
  repeatedRead: { requests: 60, windowMs: 60_000 },
  invalidKeys: { failures: 20, windowMs: 600_000, blockMs: 900_000 },
  /** Limits per client address, email address or mailbox (docs/operate/signing-in.md, "Signing in"). */
  identity: {
    requests: { requests: 120, windowMs: MINUTE_MS },
    attempts: { requests: 10, windowMs: MINUTE_MS },
    mailRequests: { requests: 10, windowMs: 10 * MINUTE_MS },
    /** Each sign-up may create a row that stays until it is confirmed or purged. */
    signUps: { requests: 20, windowMs: DAY_MS },
    /** Failed sign-ins to one email address: from all unfamiliar client addresses together, and from each familiar one. */
    unfamiliarFailures: { requests: 20, windowMs: 15 * MINUTE_MS },
    familiarFailures: { requests: 20, windowMs: 15 * MINUTE_MS },
    /** Emails to one mailbox. Password links are valid for as long as this window, so that the last link sent always works. */
    links: { requests: 5, windowMs: HOUR_MS },
    invitations: { requests: 5, windowMs: DAY_MS },
    notices: { requests: 100, windowMs: DAY_MS },
    invitationsSent: { requests: 50, windowMs: DAY_MS },
    /** Notice emails to owners across the deployment. The rest of the mail quota is for sign-in links and invitations. */
    ownerMailsPerMinute: { requests: 30, windowMs: MINUTE_MS },
    ownerMailsPerDay: { requests: 1_000, windowMs: DAY_MS },
  },
  readCacheMs: 10_000,
  idempotencyMs: DAY_MS,
  bodyBytes: 26_214_400,
  /** A body above this size is read only after the connection has accepted the call. */
  unscreenedBytes: 65_536,
  /** Maximum size of a body's JSON without its files. The longest text has 65,536 characters of up to 12 bytes each. */
  jsonBytes: 1_048_576,
  jsonDepth: 32,
  jsonValues: 10_000,
  filesPerBody: 10,
  urlMediaBytes: 52_428_800,
  urlMediaMs: 30_000,
  urlMediaRedirects: 3,
  textCharacters: 65_536,
  captionCharacters: 1_024,
  /** Recipients' phones ignore later edits (docs/use/apis.md, "Groups, contacts, labels, channels"). */
  editWindowMs: 15 * 60_000,
  /** The network's limit for deleting a message: two days and twelve hours. */
  deleteWindowMs: 60 * HOUR_MS,
  keyNameCharacters: 60,
  activeKeys: 3,
  /** Maximum number of waiting sends per connection, and maximum total size of their files. */
  waitingSends: 10_000,
  waitingFileBytes: 104_857_600,
  accountKeys: 50,
  /** Maximum number of addresses and blocks in a key's list of allowed addresses. */
  allowedIps: 20,
  /** Maximum number of dashboard sessions per user. One more session ends the oldest. */
  sessions: 20,
  /** Limits on files uploaded in the dashboard but not sent yet (docs/operate/untrusted-input.md, "Uploads"). */
  uploads: { lifeMs: HOUR_MS, connectionBytes: 524_288_000, accountBytes: 2_147_483_648 },
  pairingLinks: { working: 10, minMinutes: 10, maxMinutes: 24 * 60 },
  idempotencyKeyCharacters: 255,
  pairingCodes: { requests: 3, windowMs: 600_000 },
  presenceSubscriptions: 500,
  pinnedChats: 3,
  mediaRetentionMs: 7 * DAY_MS,
} as const;

/** Limits on one connection. They are Infinity under the sandbox's `--no-limits`. */
export type AdmissionLimits = { burst: number; repeatedRead: number };

export const EXACT_LIMITS: AdmissionLimits = {
  burst: LIMITS.burst.requests,
  repeatedRead: LIMITS.repeatedRead.requests,
};
