/** One file of `migrations/`, as the worker's host hands it to the worker. */
export type MigrationFile = { name: string; sql: string };
