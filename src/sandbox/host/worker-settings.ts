/** JSON in the environment variable `SANDBOX_WORKER`. */
export type WorkerHostSettings = {
  port: number;
  storage: string;
  /** Outgoing requests reach public addresses only; otherwise also 127.0.0.1. */
  strict: boolean;
  vars: Record<string, string>;
};

/** Printed once the port answers and D1 is migrated. */
export const WORKER_READY = "worker ready";

export type MigrationFile = { name: string; sql: string };
