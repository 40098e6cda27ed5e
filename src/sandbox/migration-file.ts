/** One file of `migrations/`, as the worker's process passes it to the worker. */
export type MigrationFile = { name: string; sql: string };
