import type { Scope } from "@gateway/domain/keys/scopes.ts";
import type { AppContext } from "../http/app-env.ts";
import { accessTo } from "../services/connections/access.ts";
import type { ConnectionRow } from "../services/connections/record.ts";
import type { CallerAccess, CallingKey, CallingUser } from "../services/callers/identify.ts";
import type { RenderContext } from "./answers.ts";

export type Context = RenderContext & { c: AppContext; now: number };

export type AccountContext = Context & {
  user: CallingUser;
  key: CallingKey | null;
  /** The owner of the rate limits and idempotency keys that apply to this request. */
  subject: string;
  scopes: readonly Scope[];
  access: CallerAccess | null;
  /** Secrets that only the first response shows, by the id of their owner. They are not stored for replays. */
  oneTimeSecrets: Map<string, string>;
};

export function accessOf({ access }: AccountContext): CallerAccess {
  if (access === null) throw new Error("the route names no instance");
  return access;
}

export async function rowOf(context: AccountContext): Promise<ConnectionRow> {
  const { connection } = accessOf(context);
  const found = await accessTo(context.c.env.DB, context.user.id, connection.id);
  // After this error, a retry returns `instance_not_found`.
  if (found === null) throw Object.assign(new Error("the instance was removed during the call"), { retryable: true });
  return found.connection;
}

/** The instances (UUIDs) that the caller's key is restricted to; null: all of the user's. */
export function onlyInstances({ key }: AccountContext): readonly string[] | null {
  return key?.instanceIds ?? null;
}

export function mayAccess(context: AccountContext, instance: string): boolean {
  return onlyInstances(context)?.includes(instance) ?? true;
}
