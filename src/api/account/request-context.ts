// An authenticated request of the Account API.
import type { Scope } from "@gateway/domain/keys/scopes.ts";
import { settingsOf } from "../../env.ts";
import type { AppContext } from "../../http/app-env.ts";
import type { RenderContext, RouteSummary } from "../answers.ts";
import { accessTo } from "../../services/connections/access.ts";
import type { ConnectionRow } from "../../services/connections/record.ts";
import type { CallerAccess, CallingKey, CallingUser } from "../../services/callers/identify.ts";

export type RequestContext = {
  c: AppContext;
  user: CallingUser;
  /** null: authenticated by a bearer token. */
  key: CallingKey | null;
  /** Whose rate limits and idempotency keys apply. */
  subject: string;
  scopes: readonly Scope[];
  /** The caller's access to the instance in the path; null when the path has none. */
  access: CallerAccess | null;
  /** Unix ms. */
  now: number;
  /** The whole route table, for the capabilities. */
  routes: readonly RouteSummary[];
  /** Secrets that only the first answer shows, by the id of their owner: they are not stored for replays. */
  oneTimeSecrets: Map<string, string>;
};

/** Only for routes with `{instanceId}`: the surface has checked that the access exists. */
export function accessOf({ access }: RequestContext): CallerAccess {
  if (access === null) throw new Error("the route names no instance");
  return access;
}

/** What D1 says now of the instance in the path. */
export async function rowOf(context: RequestContext): Promise<ConnectionRow> {
  const { connection } = accessOf(context);
  const found = await accessTo(context.c.env.DB, context.user.id, connection.id);
  // Repeated, the call answers that there is none.
  if (found === null) throw Object.assign(new Error("the instance was removed during the call"), { retryable: true });
  return found.connection;
}

export function renderContextOf(context: RequestContext): RenderContext {
  return { appUrl: appUrlOf(context), routes: context.routes };
}

/** The origin of media links. */
export function appUrlOf({ c }: RequestContext): string {
  return settingsOf(c.env).APP_URL;
}

/** The instances (UUIDs) that the caller's key is restricted to; null: all that the user may see. */
export function onlyInstances({ key }: RequestContext): readonly string[] | null {
  return key?.instanceIds ?? null;
}

/** Whether the key's restriction to instances allows this one. */
export function mayAccess(context: RequestContext, instance: string): boolean {
  return onlyInstances(context)?.includes(instance) ?? true;
}
