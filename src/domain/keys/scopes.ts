// Account API key permissions (docs/use/account-api.md, "Authentication"). A bearer token has all permissions of its user.

/** `send` acts as the number, and `manage` covers instances, keys and webhooks. `admin` is for administrators only. */
export const SCOPES = ["read", "send", "manage", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** Scopes available to a key for a single connection. */
export const CONNECTION_SCOPES = ["read", "send", "manage"] as const satisfies readonly Scope[];

export function scopesOfRole(role: "user" | "admin"): readonly Scope[] {
  return role === "admin" ? SCOPES : SCOPES.filter((scope) => scope !== "admin");
}

/** A null `written` means all the user's scopes except `admin`, so that a promotion does not extend the user's keys. */
export function scopesOfKey(written: readonly string[] | null, role: "user" | "admin"): readonly Scope[] {
  const allowed = scopesOfRole(role);
  return allowed.filter((scope) => (written === null ? scope !== "admin" : written.includes(scope)));
}
