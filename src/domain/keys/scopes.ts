// What an Account API key may be allowed to do (docs/account-api.md, "Authentication"). A bearer token may do all that its user may.

/** `read`: look; `send`: act as the number; `manage`: instances, keys, webhooks; `admin`: administration, for admins only. */
export const SCOPES = ["read", "send", "manage", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** All that a user of this role may do. */
export function scopesOfRole(role: "user" | "admin"): readonly Scope[] {
  return role === "admin" ? SCOPES : SCOPES.filter((scope) => scope !== "admin");
}

/** What a key may do: never more than its user, whatever was written into it (null: all of it). */
export function scopesOfKey(written: readonly string[] | null, role: "user" | "admin"): readonly Scope[] {
  const allowed = scopesOfRole(role);
  return written === null ? allowed : allowed.filter((scope) => written.includes(scope));
}
