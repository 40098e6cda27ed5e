import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { migrate, type Migrations } from "../../../durable-objects/shared/migrate.ts";
import { MIGRATIONS } from "../../../durable-objects/connection/components.ts";
import { POOL_MIGRATIONS } from "../../../durable-objects/bridge-pool/schema.ts";

const ALL: readonly (readonly [string, Migrations])[] = [...MIGRATIONS, ["pool", POOL_MIGRATIONS]];

const inEmptyObject = <T>(run: (storage: DurableObjectStorage) => T): Promise<T> =>
  runInDurableObject(env.CONNECTION.getByName(crypto.randomUUID()), async (_object, { storage }) => {
    await storage.deleteAll();
    return run(storage);
  });

const tables = (sql: SqlStorage) =>
  sql
    .exec<{ name: string; sql: string }>("SELECT name, sql FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY name")
    .toArray();

it.each(ALL)("brings %s to the same tables from every earlier version", async (concern, migrations) => {
  const whole = await inEmptyObject((storage) => {
    migrate(storage, [[concern, migrations]]);
    return tables(storage.sql);
  });
  for (let version = 0; version <= migrations.length; version++) {
    const stepped = await inEmptyObject((storage) => {
      migrate(storage, [[concern, migrations.slice(0, version)]]);
      migrate(storage, [[concern, migrations]]);
      return tables(storage.sql);
    });
    expect(stepped.filter((table) => table.name !== "schema_version")).toEqual(whole.filter((table) => table.name !== "schema_version"));
  }
});

it("runs nothing twice", async () => {
  await inEmptyObject((storage) => {
    migrate(storage, [["things", ["CREATE TABLE thing (id)", "INSERT INTO thing VALUES (1)"]]]);
    migrate(storage, [["things", ["CREATE TABLE thing (id)", "INSERT INTO thing VALUES (1)"]]]);
    expect(storage.sql.exec("SELECT id FROM thing").toArray()).toEqual([{ id: 1 }]);
  });
});
