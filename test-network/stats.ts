/** Counters since the server started. */
export class Stats {
  relayed = 0;
  receipts = 0;
  /** Sockets that are open now. */
  sockets = 0;
  uploads = 0;
  downloads = 0;
  /** Requests for files that are not answered in full yet. */
  open_downloads = 0;
  /** Always 0: the server has no message key. Shown so that a script can assert it. */
  readonly decrypted_by_server = 0;
  /** Key bundles handed out, by the phone number that asked. */
  readonly bundles: Record<string, number> = {};
  /** Queries answered, by `xmlns/type/child`. */
  readonly queries: Record<string, number> = {};
  /** Stanzas whose handling threw, by error message: a defect of this server, or an invalid stanza. */
  readonly failed: Record<string, number> = {};
  /** Old forms that linked devices used (`strict/old-forms.ts`). */
  readonly deprecated: Record<string, number> = {};
  /** Lines that were ended because they owed an ack for too long. */
  recycled = 0;
  /** Unsupported stanzas: `xmlns/type/child` of a query, else the tag. */
  readonly unknown: Record<string, number> = {};

  count(table: "bundles" | "deprecated" | "failed" | "queries" | "unknown", name: string): void {
    this[table][name] = (this[table][name] ?? 0) + 1;
  }

  countFailure(where: string, error: unknown): void {
    this.count("failed", `${where}: ${error instanceof Error ? error.message : "unknown"}`);
  }
}
