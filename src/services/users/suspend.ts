// Suspends an account's credentials, streams, numbers and deliveries (docs/operate/personal-data.md, "Suspending an account").
import { and, eq, gt, isNotNull, isNull, ne, not, or, type SQL } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { user } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import { endStreams } from "../accounts/guard.ts";
import { oweRecords, pushRecordsOfOwner } from "../connections/pending-records.ts";
import { anotherAdministrator, findUser, type User } from "./user-table.ts";

const GRACE_MS = 30 * DAY_MS;

/** Called once with the changed user, even if a later step fails. */
type Changed = (user: User) => void;
const nobody: Changed = () => undefined;

/** Once this returns, no key, token or session works. Fails with `user_not_found` or `last_administrator`. */
export function suspendUser(env: Env, userId: string, changed = nobody): Promise<Outcome<User>> {
  return close(env, userId, { set: {}, isDone: ne(user.status, "active") }, changed);
}

/** Suspends the account and removes it 30 days after the first call. `activateUser` cancels the removal. */
export function deleteUserLater(env: Env, userId: string, now: number, changed = nobody): Promise<Outcome<User>> {
  return close(env, userId, { set: { removalDueAt: now + GRACE_MS }, isDone: isNotNull(user.removalDueAt) }, changed);
}

/** `isDone` means that the account is already in this state. The push to the objects is then repeated. */
type Closing = { set: { removalDueAt?: number }; isDone: SQL };

async function close(env: Env, userId: string, { set, isDone }: Closing, changed: Changed): Promise<Outcome<User>> {
  const database = databaseOf(env.DB);
  const which = and(eq(user.id, userId), ne(user.status, "removed"));
  const [[closed]] = await database.batch([
    database
      .update(user)
      .set({ status: "suspended", ...set, updatedAt: new Date() })
      .where(and(which, not(isDone), or(eq(user.role, "user"), anotherAdministrator(database, userId))))
      .returning(),
    oweRecords(database, userId, Date.now()),
  ]);
  if (closed !== undefined) changed(closed);
  const [known] = closed === undefined ? await database.select().from(user).where(and(which, isDone)) : [closed];
  if (known === undefined) return fail((await findUser(env.DB, userId)) === null ? "user_not_found" : "last_administrator");
  await endStreams(env, userId);
  await pushRecordsOfOwner(env, userId);
  return succeed(known);
}

/** Numbers reconnect, and waiting deliveries are sent. Fails with `user_not_found`, even if the removal is already due. */
export async function activateUser(env: Env, userId: string, now: number, changed = nobody): Promise<Outcome<User>> {
  const inTime: SQL | undefined = or(isNull(user.removalDueAt), gt(user.removalDueAt, now));
  const database = databaseOf(env.DB);
  const [[active]] = await database.batch([
    database
      .update(user)
      .set({ status: "active", removalDueAt: null, updatedAt: new Date() })
      .where(and(eq(user.id, userId), eq(user.status, "suspended"), inTime))
      .returning(),
    oweRecords(database, userId, now),
  ]);
  if (active !== undefined) changed(active);
  const known = active ?? (await findUser(env.DB, userId));
  if (known?.status !== "active") return fail("user_not_found");
  await endStreams(env, userId);
  await pushRecordsOfOwner(env, userId);
  return succeed(known);
}
