// A call of the Account API whose caller is known.
import type { Scope } from "../domain/keys/scopes.ts";
import { settingsOf } from "../env.ts";
import type { AppContext } from "../http/app-env.ts";
import type { ConnectionRecord } from "../protocol/connection.ts";
import type { AccountKey } from "../services/account-keys/find.ts";
import type { Access } from "../services/connections/access.ts";
import type { User } from "../services/users/user-table.ts";

/** `kinds`: the kinds of instance that a route works on; null: it concerns the account. */
export type RouteSummary = { method: string; path: string; kinds: readonly ConnectionRecord["kind"][] | null };

export type RequestContext = {
  c: AppContext;
  user: User;
  /** null: the caller came with a bearer token. */
  key: AccountKey | null;
  /** Whose limits and first answers. */
  subject: string;
  scopes: readonly Scope[];
  /** To the instance of the path; null where the path names none. */
  access: Access | null;
  /** Unix ms. */
  now: number;
  /** The whole table, for what is said about it. */
  routes: readonly RouteSummary[];
  /** Values of this very call that are shown once, by the id of what they belong to: no first answer keeps them. */
  oneTimeSecrets: Map<string, string>;
};

/** Of a route that names an instance, behind the check that there is one. */
export function accessOf({ access }: RequestContext): Access {
  if (access === null) throw new Error("the route names no instance");
  return access;
}

/** Where media links begin. */
export function appUrlOf({ c }: RequestContext): string {
  return settingsOf(c.env).APP_URL;
}

/** The instances (UUIDs) that the caller's key is restricted to; null: all that the user may see. */
export function onlyInstances({ key }: RequestContext): readonly string[] | null {
  return key?.instanceIds ?? null;
}

/** A restricted key does nothing that concerns more than its instances. */
export function mayAccess(context: RequestContext, instance: string): boolean {
  return onlyInstances(context)?.includes(instance) ?? true;
}
