// Acts that the worker itself carries out, for the list that the connection's object keeps of all of them.
import { inArray, sql } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { accountKey, user } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { errorFields, log } from "../../log.ts";
import type { Role } from "@gateway/protocol/operations.ts";
import type { Act } from "@gateway/protocol/operations/acts.ts";
import { callOperation } from "./call.ts";

/** `subject`: the id of a user, or `key:<id>`. */
export type Actor = { subject: string; role: Role; requestId: string };

/** The act is over: that it could not be entered is logged, and is no answer to it. */
export async function enterAct(env: Env, uuid: string, actor: Actor, act: Act, subject: string | null): Promise<void> {
  try {
    const entered = await callOperation(env, uuid, { ...actor, mutating: true }, "acts.enter", { act, subject });
    if (!entered.ok) log("connection.act_not_entered", { connection: uuid, act, code: entered.failure.code });
  } catch (error) {
    log("connection.act_not_entered", { connection: uuid, act, ...errorFields(error) });
  }
}

export type ActorName = { email: string | null; key: string | null };

/** Names of actors: the e-mail address of a user, the name of an account's key. Absent: no longer there. */
export async function namesOfActors(binding: D1Database, actors: readonly string[]): Promise<ReadonlyMap<string, ActorName>> {
  const database = databaseOf(binding);
  const listed = (ids: readonly string[]) => sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  const keys = actors.filter((actor) => actor.startsWith("key:")).map((actor) => actor.slice("key:".length));
  const [users, named] = await database.batch([
    database
      .select({ id: user.id, email: user.email })
      .from(user)
      .where(inArray(user.id, listed(actors))),
    database
      .select({ id: accountKey.id, name: accountKey.name })
      .from(accountKey)
      .where(inArray(accountKey.id, listed(keys))),
  ]);
  return new Map<string, ActorName>([
    ...users.map(({ id, email }) => [id, { email, key: null }] as const),
    ...named.map(({ id, name }) => [`key:${id}`, { email: null, key: name }] as const),
  ]);
}
