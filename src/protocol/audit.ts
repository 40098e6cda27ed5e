// What the audit log says of a changed thing.

type AuditValue = string | number | boolean | null | readonly AuditValue[] | { readonly [name: string]: AuditValue };

/** Its fields as they were, or as they are; never a secret: a password is `true` when there is one. */
export type AuditFacts = { readonly [name: string]: AuditValue };
