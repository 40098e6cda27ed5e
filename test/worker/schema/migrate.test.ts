import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { migrate } from "#root/durable-objects/shared/migrate.ts";

it("a migration runs the statements that an object lacks, in their order, and none twice", async () => {
  const things = ["CREATE TABLE thing (id)", "INSERT INTO thing VALUES (1)", "ALTER TABLE thing ADD COLUMN name DEFAULT 'none'"];
  await runInDurableObject(env.CONNECTION.getByName(crypto.randomUUID()), async (_object, { storage }) => {
    await storage.deleteAll();
    for (let version = 0; version <= things.length; version++) {
      migrate(storage, [["things", things.slice(0, version)]]);
      migrate(storage, [["things", things.slice(0, version)]]);
    }
    migrate(storage, [
      ["things", things],
      ["others", ["CREATE TABLE other (id)"]],
    ]);
    expect(storage.sql.exec("SELECT * FROM thing").toArray()).toEqual([{ id: 1, name: "none" }]);
    expect(storage.sql.exec("SELECT * FROM other").toArray()).toEqual([]);
  });
});
