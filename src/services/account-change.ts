// What a change of an account says to the objects of its connections, whoever brings it there: the request itself to a few objects, the
// account's guard to those of a large account (docs/internals/delivery.md, "Account endpoints").

/** One object that is to be told. `push` is safe to repeat, and an object ignores what is older than what it has. */
export type Target = { id: number; uuid: string; push: () => Promise<void> };

/** The state of D1 when it was read, and whom it concerns. */
export type AccountChange = {
  revision: number;
  /** The account's connections with ids above `after` and up to `until`, in their order: one statement of D1. */
  between(after: number, until: number): Promise<Target[]>;
  /** Those of these UUIDs that the account still has. */
  named(uuids: readonly string[]): Promise<Target[]>;
};

/** What is told: the endpoints of the account's webhooks, or the records of its connections. */
export type Kind = "endpoints" | "records";

/** What became of it: every object has it, some could not be reached and are tried again, or it is still on its way. */
export type PushOutcome = "pushed" | "failed" | "under_way";
