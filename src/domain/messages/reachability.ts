// Decides whether a message to a person would be sent now. Used by the route and before each send (docs/use/reachability.md, "Advice").
import { retryAfterSeconds } from "../admission/sliding-window.ts";
import type { Failure } from "@gateway/protocol/failures.ts";
import type { NewChatQuota } from "@gateway/protocol/events.ts";
import type { InstanceSettings } from "@gateway/protocol/instance-settings.ts";
import type { Reachability } from "@gateway/protocol/operations/reachability.ts";
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";
import type { SendWindow } from "./send-window.ts";

export type PacingSettings = InstanceSettings["pacing"];

/** Times are in Unix ms, except inside `restriction` and `limits` (Unix seconds). */
export type ReachFacts = {
  isConnected: boolean;
  /** Null if the network was not asked. */
  exists: boolean | null;
  isKnown: boolean;
  /** True if this number is already starting the chat, which is therefore already counted. */
  isStarting: boolean;
  lastInboundAt: number | null;
  restriction: { ends_at: number | null } | null;
  /** WhatsApp's quota when it was read, and the chats started since. */
  quota: { limits: NewChatQuota; checkedAt: number; started: number } | null;
  hour: { started: number; firstAt: number | null };
  settings: Pick<PacingSettings, "new_chats_per_hour" | "reply_only">;
  /** Only Cloud API numbers have a service window of 24 hours. */
  hasWindow: boolean;
};

type Why = NonNullable<Reachability["why"]>;
/** `until` is in Unix ms, or null if unknown. */
export type Verdict = { advice: Reachability["advice"]; why: Why | null; until: number | null };

type Allowance = NonNullable<Reachability["new_chats"]> & { why: Why };

export function verdictOf(facts: ReachFacts, now: number): Verdict {
  const { exists, isKnown, isConnected, lastInboundAt, settings, hasWindow } = facts;
  if (exists === false) return { advice: "do_not_send", why: "not_on_whatsapp", until: null };
  if (settings.reply_only && lastInboundAt === null) return { advice: "do_not_send", why: "reply_only", until: null };
  const held = isKnown ? null : firstContactHeld(facts, now);
  if (held !== null) return { advice: "wait", ...held };
  if (!isConnected) return { advice: "wait", why: "connection", until: null };
  if (hasWindow && windowUntil(facts, now) === null) return { advice: "use_template", why: "window_closed", until: null };
  return { advice: "send", why: null, until: null };
}

export function reachabilityOf(facts: ReachFacts, session: Reachability["session"], now: number): Reachability {
  const { advice, why } = verdictOf(facts, now);
  const restrictedUntil = restrictionEnd(facts, now);
  const allowance = allowanceOf(facts, now);
  return {
    exists: facts.exists,
    chat: facts.isKnown ? "known" : "first_contact",
    last_inbound_at: facts.lastInboundAt,
    session,
    restriction: restrictedUntil === undefined ? null : { until: restrictedUntil },
    new_chats: allowance === null ? null : { left: allowance.left, of: allowance.of, until: allowance.until },
    window_until: windowUntil(facts, now),
    advice,
    why,
  };
}

/** `canWait` means that the reason will go away by itself, so the send may wait. */
export type Block = { failure: Failure; why: Why; until: number | null; canWait: boolean };

/** Null if the message may be sent. The setting `first_contacts` decides whether WhatsApp's quota and service window count. */
export function blockOf(facts: ReachFacts, policy: PacingSettings["first_contacts"], isTemplate: boolean, now: number): Block | null {
  const isGuarded = policy !== "send";
  const isWindowClosed = isGuarded && facts.hasWindow && !facts.isKnown && !isTemplate && windowUntil(facts, now) === null;
  if (isWindowClosed) return { failure: { code: "outside_service_window" }, why: "window_closed", until: null, canWait: false };
  const { why, until } = verdictOf({ ...facts, quota: isGuarded ? facts.quota : null }, now);
  const failure = why === null ? null : failureOf(why, until, now);
  return why === null || failure === null ? null : { failure, why, until, canWait: why !== "reply_only" };
}

/** Returns the period in which a held message may be sent, or null if WhatsApp would allow it only after the deadline. */
export function holdOf({ canWait, until }: Block, now: number): SendWindow | null {
  if (!canWait || (until !== null && until >= now + HELD_MAX_MS)) return null;
  return { at: now, until: Math.min(now + HELD_MAX_MS, Math.max(now, until ?? 0) + DAY_MS) };
}

export const HELD_MAX_MS = 7 * DAY_MS;

/** Returns null if the send itself would report the problem, because its failure is more precise. */
function failureOf(why: Why, until: number | null, now: number): Failure | null {
  const retryAfter = until === null ? {} : { retryAfter: retryAfterSeconds(until - now) };
  switch (why) {
    case "reply_only":
      return { code: "new_chat_refused" };
    case "restriction":
    case "new_chat_quota": {
      const ends_at = until === null ? null : Math.floor(until / 1000);
      return { code: "temporarily_blocked", ...retryAfter, details: { scope: "account", ends_at, message_id: null } };
    }
    case "new_chats_per_hour":
      return { code: "rate_limited", ...retryAfter };
    case "not_on_whatsapp":
    case "connection":
    case "window_closed":
      return null;
  }
}

function firstContactHeld(facts: ReachFacts, now: number): { why: Why; until: number | null } | null {
  const restrictedUntil = restrictionEnd(facts, now);
  if (restrictedUntil !== undefined) return { why: "restriction", until: restrictedUntil };
  const allowance = facts.isStarting ? null : allowanceOf(facts, now);
  return allowance === null || allowance.left > 0 ? null : { why: allowance.why, until: allowance.until };
}

/** Returns null if there is a restriction but WhatsApp does not say when it ends, and undefined if there is no restriction. */
function restrictionEnd({ restriction }: ReachFacts, now: number): number | null | undefined {
  if (restriction === null) return undefined;
  if (restriction.ends_at === null) return null;
  const endsAt = restriction.ends_at * 1000;
  return endsAt <= now ? undefined : endsAt;
}

/** WhatsApp's quota or the owner's hourly limit, whichever leaves fewer new chats. */
function allowanceOf(facts: ReachFacts, now: number): Allowance | null {
  const quota = quotaLeft(facts, now);
  const hourly = hourLeft(facts, now);
  if (quota === null || hourly === null) return quota ?? hourly;
  return quota.left <= hourly.left ? quota : hourly;
}

function quotaLeft({ quota }: ReachFacts, now: number): Allowance | null {
  if (quota === null) return null;
  const { total, used, status, cycle_ends_at: endsAt } = quota.limits;
  const ends = endsAt === null ? null : endsAt * 1000;
  const isRenewed = ends !== null && ends > quota.checkedAt && ends <= now;
  const why = "new_chat_quota";
  if (status === "capped" && !isRenewed) return { left: 0, of: total, until: ends !== null && ends > now ? ends : null, why };
  if (total === null || used === null) return null;
  const left = Math.max(0, total - (isRenewed ? 0 : used) - quota.started);
  return { left, of: total, until: ends !== null && ends > now ? ends : null, why };
}

function hourLeft({ settings: { new_chats_per_hour: max }, hour }: ReachFacts, now: number): Allowance | null {
  if (max === null) return null;
  return { left: Math.max(0, max - hour.started), of: max, until: (hour.firstAt ?? now) + HOUR_MS, why: "new_chats_per_hour" };
}

function windowUntil({ hasWindow, lastInboundAt }: ReachFacts, now: number): number | null {
  if (!hasWindow || lastInboundAt === null) return null;
  const until = lastInboundAt + DAY_MS;
  return until > now ? until : null;
}
