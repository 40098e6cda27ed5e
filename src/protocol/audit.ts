// The state of a changed thing in the audit log. Secrets never appear: a password is `true` when one is set.

type AuditValue = string | number | boolean | null | readonly AuditValue[] | { readonly [name: string]: AuditValue };

export type AuditFacts = { readonly [name: string]: AuditValue };
