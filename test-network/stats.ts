export class Stats {
  relayed = 0;
  receipts = 0;
  sockets = 0;
  uploads = 0;
  downloads = 0;
  open_downloads = 0;
  /** Always 0, because the server has no message keys. It exists for assertions in scripts. */
  readonly decrypted_by_server = 0;
  readonly bundles: Record<string, number> = {};
  readonly queries: Record<string, number> = {};
  /** Stanzas whose handling threw, by error message. The cause is either a bug here or an invalid stanza. */
  readonly failed: Record<string, number> = {};
  /** Outdated stanza forms used by linked devices (`strict/stanzas.ts`). */
  readonly deprecated: Record<string, number> = {};
  recycled = 0;
  readonly unknown: Record<string, number> = {};

  count(table: "bundles" | "deprecated" | "failed" | "queries" | "unknown", name: string): void {
    this[table][name] = (this[table][name] ?? 0) + 1;
  }

  countFailure(where: string, error: unknown): void {
    this.count("failed", `${where}: ${error instanceof Error ? error.message : "unknown"}`);
  }
}
