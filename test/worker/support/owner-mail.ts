// Notices that an account's guard collects for its owner, and their emails. Needs a fake clock.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { expect, vi } from "vitest";
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import { MAIL_LEASE_MS } from "#root/durable-objects/shared/mail-retries.ts";
import { runAlarmsUntil } from "./eviction.ts";

export type Gathered = { kind: string; subject: string; text: string };

const guardOf = (ownerId: string) => env.ACCOUNT_GUARD.getByName(ownerId);

export function gatheredFor(ownerId: string): Promise<Gathered[]> {
  return runInDurableObject(guardOf(ownerId), (_object, { storage }) =>
    storage.sql.exec<Gathered>("SELECT kind, subject, text FROM owner_notice ORDER BY id").toArray(),
  );
}

/** Waits until the guard's attempt has ended; the email is leased until then. */
const settled = (ownerId: string) => () =>
  vi.waitFor(
    async () => {
      const due = await runInDurableObject(guardOf(ownerId), (_object, { storage }) =>
        storage.sql
          .exec<{ due_at: number | null }>("SELECT due_at FROM owner_mail UNION ALL SELECT due_at FROM owed_mail")
          .toArray()
          .map(({ due_at: at }) => at),
      );
      expect(due).not.toContain(Date.now() + MAIL_LEASE_MS);
    },
    { timeout: 60_000 },
  );

/** Advances the guard's time, evicting it along the way. */
export async function ownerWaits(ownerId: string, ms: number): Promise<void> {
  await runAlarmsUntil(guardOf(ownerId), Date.now() + ms, { settle: settled(ownerId) });
}

const TRIES = 5;

/**
 * Advances time until the guard has emailed its collected notices. Guards in other files share the email service, and their alarms fire at
 * any time: if they have used up this minute's quota, the guard retries in the next minute.
 */
export async function ownerMailed(ownerId: string): Promise<void> {
  await ownerWaits(ownerId, 5 * MINUTE_MS);
  for (let tries = 1; tries < TRIES && (await gatheredFor(ownerId)).length > 0; tries += 1) await ownerWaits(ownerId, MINUTE_MS);
}
