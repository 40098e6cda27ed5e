// Permissions of Account API keys (docs/use/account-api.md, "Authentication"). A bearer token has all permissions of its user.

/** `read`: reads; `send`: acts as the number; `manage`: instances, keys, webhooks; `admin`: administration, for admins only. */
export const SCOPES = ["read", "send", "manage", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** The scopes of a user of this role. */
export function scopesOfRole(role: "user" | "admin"): readonly Scope[] {
  return role === "admin" ? SCOPES : SCOPES.filter((scope) => scope !== "admin");
}

/**
 * The scopes of a key: never more than its user's. `written` null: all of the user's but `admin`, so that no key becomes an administrator's
 * by a promotion. That one has to be named.
 */
export function scopesOfKey(written: readonly string[] | null, role: "user" | "admin"): readonly Scope[] {
  const allowed = scopesOfRole(role);
  return allowed.filter((scope) => (written === null ? scope !== "admin" : written.includes(scope)));
}
