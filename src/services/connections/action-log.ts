// The history of a connection's actions: adds actions performed by the worker, and looks up the actors' names.
import { inArray } from "drizzle-orm";
import type { ActionName } from "@gateway/protocol/operations/history.ts";
import { databaseOf, rowsOf } from "../../db/database.ts";
import { accountKey, user } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { errorFields, log } from "../../log.ts";
import { callOperation, type OperationCaller } from "./call.ts";

type Actor = Omit<OperationCaller, "mutating">;

/** The action is already over, so a failure here is only logged. */
export async function logAction(env: Env, uuid: string, actor: Actor, act: ActionName, subject: string | null): Promise<void> {
  try {
    const entered = await callOperation(env, uuid, { ...actor, mutating: true }, "actions.enter", { act, subject });
    if (!entered.ok) log("connection.act_not_entered", { connection: uuid, act, code: entered.failure.code });
  } catch (error) {
    log("connection.act_not_entered", { connection: uuid, act, ...errorFields(error) });
  }
}

export type ActorName = { email: string | null; key: string | null };

export async function namesOfActors(binding: D1Database, actors: readonly string[]): Promise<ReadonlyMap<string, ActorName>> {
  const database = databaseOf(binding);
  const keys = actors.filter((actor) => actor.startsWith("key:")).map((actor) => actor.slice("key:".length));
  const [users, named] = await database.batch([
    database
      .select({ id: user.id, email: user.email })
      .from(user)
      .where(inArray(user.id, rowsOf(actors))),
    database
      .select({ id: accountKey.id, name: accountKey.name })
      .from(accountKey)
      .where(inArray(accountKey.id, rowsOf(keys))),
  ]);
  return new Map<string, ActorName>([
    ...users.map(({ id, email }) => [id, { email, key: null }] as const),
    ...named.map(({ id, name }) => [`key:${id}`, { email: null, key: name }] as const),
  ]);
}
