// Pushes an account's changes to the objects of its connections. The request itself pushes to a few objects; for a large account, the
// AccountGuard does it (docs/internals/delivery.md, "Account endpoints").

/** `push` is safe to repeat, because objects ignore anything older than what they have. */
export type Target = { id: number; uuid: string; push: () => Promise<void> };

export type AccountChange = {
  revision: number;
  between(after: number, until: number): Promise<Target[]>;
  named(uuids: readonly string[]): Promise<Target[]>;
};

/** `endpoints`: the account's webhook endpoints. `records`: the records of its connections. */
export type Kind = "endpoints" | "records";

export type PushOutcome = "pushed" | "failed" | "under_way";
