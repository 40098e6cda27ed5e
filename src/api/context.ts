// What a row knows of the request that it answers.
import type { Scope } from "@gateway/domain/keys/scopes.ts";
import type { AppContext } from "../http/app-env.ts";
import { accessTo } from "../services/connections/access.ts";
import type { ConnectionRow } from "../services/connections/record.ts";
import type { CallerAccess, CallingKey, CallingUser } from "../services/callers/identify.ts";
import type { RenderContext } from "./answers.ts";

/** `now` in Unix ms. */
export type Context = RenderContext & { c: AppContext; now: number };

/** An authenticated request of the Account API. */
export type AccountContext = Context & {
  user: CallingUser;
  /** null: authenticated by a bearer token. */
  key: CallingKey | null;
  /** Whose rate limits and idempotency keys apply. */
  subject: string;
  scopes: readonly Scope[];
  /** The caller's access to the instance in the path; null when the path has none. */
  access: CallerAccess | null;
  /** Secrets that only the first answer shows, by the id of their owner: they are not stored for replays. */
  oneTimeSecrets: Map<string, string>;
};

/** Only for routes with `{instanceId}`: the surface has checked that the access exists. */
export function accessOf({ access }: AccountContext): CallerAccess {
  if (access === null) throw new Error("the route names no instance");
  return access;
}

/** The D1 row of the instance in the path. */
export async function rowOf(context: AccountContext): Promise<ConnectionRow> {
  const { connection } = accessOf(context);
  const found = await accessTo(context.c.env.DB, context.user.id, connection.id);
  // A repetition of the call then answers `instance_not_found`.
  if (found === null) throw Object.assign(new Error("the instance was removed during the call"), { retryable: true });
  return found.connection;
}

/** The instances (UUIDs) that the caller's key is restricted to; null: every instance of the user. */
export function onlyInstances({ key }: AccountContext): readonly string[] | null {
  return key?.instanceIds ?? null;
}

/** Whether the key's restriction to instances allows this one. */
export function mayAccess(context: AccountContext, instance: string): boolean {
  return onlyInstances(context)?.includes(instance) ?? true;
}
