// What a Connection object has for a number of Meta's Cloud API (docs/cloud-api.md, "Life"): made for every object, and without a read of any
// table until it is used. Each part after those it uses.
import type { KeyedEvent } from "../../../src/protocol/events.ts";
import type { DataKeys } from "../data-keys.ts";
import type { Identity } from "../session/identity.ts";
import { CloudCredentials } from "./credentials.ts";

export type CloudDependencies = {
  sql: SqlStorage;
  identity: Identity;
  dataKeys: Pick<DataKeys, "vault">;
  graph: {
    /** Null: the setting is for a sandbox, and this is none. */
    baseUrl: string | null;
    version: string;
    fetch: typeof fetch;
  };
  /** Applies events of the number as a session's commit is applied: one synchronous transaction. */
  commit(events: KeyedEvent[], now: number): void;
  /** Work for later has changed outside of a platform event. */
  rearm(): void;
};

export type Cloud = ReturnType<typeof createCloud>;

export function createCloud(deps: CloudDependencies) {
  const { sql, dataKeys } = deps;
  const credentials = new CloudCredentials(sql, () => dataKeys.vault());
  /** What has to be done later, in the order in which it is done. */
  const scheduled: { nextDue(): number | null; run(now: number): void }[] = [];
  return {
    credentials,
    nextDue(): number | null {
      const dues = scheduled.map((part) => part.nextDue()).filter((due) => due !== null);
      return dues.length === 0 ? null : Math.min(...dues);
    },
    run(now: number): void {
      for (const part of scheduled) part.run(now);
    },
  };
}
