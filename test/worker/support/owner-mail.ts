// What an account's guard has gathered for its owner, and how it comes to be mailed. With a fake clock.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { expect, vi } from "vitest";
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import { runAlarmsUntil } from "./eviction.ts";

export type Gathered = { kind: string; subject: string; text: string };

/** Of the guard, and none of its other pauses. */
const LEASE_MS = 2 * MINUTE_MS;

const guardOf = (ownerId: string) => env.ACCOUNT_GUARD.getByName(ownerId);

export function gatheredFor(ownerId: string): Promise<Gathered[]> {
  return runInDurableObject(guardOf(ownerId), (_object, { storage }) =>
    storage.sql.exec<Gathered>("SELECT kind, subject, text FROM owner_notice ORDER BY id").toArray(),
  );
}

/** Until the guard's attempt has ended: meanwhile the mail is leased. */
const settled = (ownerId: string) => () =>
  vi.waitFor(
    async () => {
      const due = await runInDurableObject(guardOf(ownerId), (_object, { storage }) =>
        storage.sql
          .exec<{ due_at: number | null }>("SELECT due_at FROM owner_mail")
          .toArray()
          .map(({ due_at: at }) => at),
      );
      expect(due).not.toEqual([Date.now() + LEASE_MS]);
    },
    { timeout: 60_000 },
  );

/** Time passes for the guard, which is evicted meanwhile. */
export async function ownerWaits(ownerId: string, ms: number): Promise<void> {
  await runAlarmsUntil(guardOf(ownerId), Date.now() + ms, { settle: settled(ownerId) });
}

const TRIES = 5;

/**
 * Time passes until the guard has mailed what it gathered. Guards of other files' tests count at the same mail service, and their alarms ring
 * at any moment: if they have used up the minute, the guard tries again in the next.
 */
export async function ownerMailed(ownerId: string): Promise<void> {
  await ownerWaits(ownerId, 5 * MINUTE_MS);
  for (let tries = 1; tries < TRIES && (await gatheredFor(ownerId)).length > 0; tries += 1) await ownerWaits(ownerId, MINUTE_MS);
}
