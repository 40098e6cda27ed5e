// Users as administrators see them.
import { and, desc, eq, isNull, lt, ne, or, sql, type SQL } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection, subscription, user } from "../../db/schema.ts";
import type { Subscription } from "../subscriptions/subscription.ts";
import type { User } from "./user-table.ts";

/** `instances`: how many they own. */
export type UserOverview = { user: User; subscription: Subscription | null; instances: number };
/** A user's position in the list. */
export type UserPlace = { createdAt: number; id: string };

/** null: no such filter. `q`: part of the name or of the e-mail address. */
export type UserFilter = { status: "active" | "suspended" | null; q: string | null };

const notRemoved = ne(user.status, "removed");

/** Newest first. */
export function listUsers(
  binding: D1Database,
  { status, q }: UserFilter,
  { after, limit }: { after: UserPlace | null; limit: number },
): Promise<UserOverview[]> {
  const beyond =
    after === null
      ? undefined
      : or(lt(user.createdAt, new Date(after.createdAt)), and(eq(user.createdAt, new Date(after.createdAt)), lt(user.id, after.id)));
  return overviews(binding, [
    status === null ? notRemoved : eq(user.status, status),
    q === null ? undefined : or(contains(user.name, q), contains(user.email, q)),
    beyond,
  ])
    .orderBy(desc(user.createdAt), desc(user.id))
    .limit(limit);
}

export async function findOverview(binding: D1Database, id: string): Promise<UserOverview | null> {
  return (await overviews(binding, [eq(user.id, id), notRemoved]).limit(1))[0] ?? null;
}

function overviews(binding: D1Database, conditions: readonly (SQL | undefined)[]) {
  const database = databaseOf(binding);
  const owned = database.$count(connection, and(eq(connection.ownerId, user.id), isNull(connection.removedAt)));
  return database
    .select({ user, subscription, instances: owned })
    .from(user)
    .leftJoin(subscription, eq(subscription.userId, user.id))
    .where(and(...conditions));
}

/** Case-insensitive for ASCII letters; `instr` has no wildcards to escape. */
function contains(column: typeof user.name | typeof user.email, part: string): SQL {
  return sql`instr(lower(${column}), lower(${part})) > 0`;
}
