// The versions of the objects' tables that this release knows.
const SCHEMA = new URL("../../durable-objects/connection/schema.ts", import.meta.url).href;

// The path is computed at run time, because the objects' code uses types that do not exist in Node code.
const { MIGRATIONS } = (await import(SCHEMA)) as { MIGRATIONS: readonly (readonly [concern: string, migrations: readonly string[]])[] };

export const KNOWN_SCHEMA: ReadonlyMap<string, number> = new Map(MIGRATIONS.map(([concern, { length }]) => [concern, length]));
