// One object per client address (keys, blocks, identity requests) or email address (sign-ins, emails), and one for the email service.
import { createDurable } from "itty-durable";
import { countFailure, expiresAt, type GuardState, type GuardVerdict } from "@gateway/domain/admission/address-guard.ts";
import {
  claimAttempt,
  type Counts,
  countsExpireAt,
  type FamiliarPlaces,
  giveBack,
  type IdentityCount,
  remember,
  takeAll,
} from "@gateway/domain/admission/identity-counts.ts";
import { quotaPause } from "@gateway/domain/admission/mail-quota.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import type { ClaimVerdict } from "#root/src/services/identity/address-guards.ts";

// The cast restores the actual type, because the library declares results as `any`.
const Base = createDurable({ autoPersist: true }) as unknown as new (
  state: DurableObjectState,
  env: unknown,
) => { state: DurableObjectState; destroy(options: { reset: boolean }): Promise<unknown> };

export class AddressGuard extends Base {
  guard: GuardState = { failures: [], blockedUntil: 0 };
  counts: Counts = {};
  places: FamiliarPlaces = {};
  mailQuotaUsedUpAt: number | null = null;

  async fail(now: number): Promise<GuardVerdict> {
    const { state, verdict } = countFailure(this.guard, now);
    if (state !== this.guard) {
      this.guard = state;
      arm(this);
    }
    return verdict;
  }

  async take(kinds: readonly IdentityCount[]): Promise<GuardVerdict> {
    const { counts, verdict } = takeAll(this.counts, kinds, Date.now());
    count(this, counts);
    return verdict;
  }

  async attempt(place: string): Promise<ClaimVerdict> {
    const now = Date.now();
    const { counts, verdict } = claimAttempt(this.counts, this.places, place, now);
    count(this, counts);
    return verdict.blocked ? verdict : { blocked: false, claimedAt: now };
  }

  /** Undoes the attempt counted at `claimedAt`, and stores the address as known. */
  async succeeded(place: string, claimedAt: number): Promise<null> {
    this.places = remember(this.places, place, claimedAt);
    count(this, giveBack(this.counts, place, claimedAt));
    return null;
  }

  /** Counts a notice email, unless the email service's quota is used up. */
  async takeOwnerMail(): Promise<GuardVerdict> {
    const paused = quotaPause(this.mailQuotaUsedUpAt, Date.now());
    return paused.blocked ? paused : this.take(["ownerMailsPerMinute", "ownerMailsPerDay"]);
  }

  /** Called when the email service reports that its quota is used up. Returns false if notice emails are already paused. */
  async pauseOwnerMails(): Promise<boolean> {
    const now = Date.now();
    const isNew = !quotaPause(this.mailQuotaUsedUpAt, now).blocked;
    this.mailQuotaUsedUpAt = now;
    arm(this);
    return isNew;
  }

  /** When the pause began (Unix ms), or null if it has ended. */
  async ownerMailsPausedSince(): Promise<number | null> {
    return quotaPause(this.mailQuotaUsedUpAt, Date.now()).blocked ? this.mailQuotaUsedUpAt : null;
  }

  async alarm(): Promise<void> {
    await this.state.storage.deleteAll();
    this.guard = { failures: [], blockedUntil: 0 };
    this.counts = {};
    this.places = {};
    this.mailQuotaUsedUpAt = null;
  }
}

const MAIL_QUOTA_RETENTION_MS = DAY_MS;

// Plain functions, because the library calls methods through a proxy, which cannot access private members.

function count(guard: AddressGuard, counts: Counts): void {
  guard.counts = counts;
  arm(guard);
}

/** Sets the alarm. Not awaited, so that the alarm is written together with the state that the library stores next. */
function arm({ state, guard, counts, places, mailQuotaUsedUpAt: usedUpAt }: AddressGuard): void {
  const quotaExpiresAt = usedUpAt === null ? 0 : usedUpAt + MAIL_QUOTA_RETENTION_MS;
  void state.storage.setAlarm(Math.max(expiresAt(guard), countsExpireAt(counts, places), quotaExpiresAt));
}
