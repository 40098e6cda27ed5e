// What the sandbox and the worker's process exchange: settings by an environment variable, and one line when it is ready.

/** JSON in the environment variable `SANDBOX_WORKER`. */
export type WorkerHostSettings = {
  port: number;
  /** Directory of the local runtime's storage. */
  storage: string;
  /** Outgoing requests may reach public addresses only; otherwise 127.0.0.1 too. */
  strict: boolean;
  vars: Record<string, string>;
};

/** Printed by the worker's process once its port answers and D1 is migrated. */
export const WORKER_READY = "worker ready";

/** One file of `migrations/`, as the worker's process passes it to the worker. */
export type MigrationFile = { name: string; sql: string };
