/** `push` can be repeated safely, because objects ignore anything older than what they have. */
export type Target = { id: number; uuid: string; push: () => Promise<void> };

export type AccountChange = {
  revision: number;
  between(after: number, until: number): Promise<Target[]>;
  named(uuids: readonly string[]): Promise<Target[]>;
};

/** `endpoints` are the account's webhook endpoints, and `records` are the records of its connections. */
export type ChangeKind = "endpoints" | "records";

export type PushOutcome = "pushed" | "failed" | "under_way";
