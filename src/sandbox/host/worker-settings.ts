/** Passed as JSON in the environment variable `SANDBOX_WORKER`. */
export type WorkerHostSettings = {
  port: number;
  storage: string;
  /** If true, outgoing requests reach only public addresses; otherwise also 127.0.0.1. */
  strict: boolean;
  vars: Record<string, string>;
};

/** Printed once the port responds and D1 is migrated. */
export const WORKER_READY = "worker ready";

export type MigrationFile = { name: string; sql: string };
