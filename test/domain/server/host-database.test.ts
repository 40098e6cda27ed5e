import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, it } from "vitest";
import { databaseWorker, hostDatabase } from "#root/server/runtime/host-database.ts";
import { applyMigrations } from "#root/server/runtime/migrate.ts";

const DATE = "2026-10-01";
/** More than a pipe holds, and printed before D1 answers, because workerd runs one worker at a time. */
const NOISY = `export default { fetch: () => { for (let n = 0; n < 4_000; n += 1) console.log("x".repeat(1_000)); return new Response("ok"); } };`;

let runtime: Miniflare;
beforeAll(async () => {
  const d1Databases = { DB: { id: "gateway" } };
  runtime = new Miniflare(
    convertV4MiniflareOptions({
      workers: [{ name: "gateway", modules: true, compatibilityDate: DATE, script: NOISY, d1Databases }, databaseWorker(DATE, d1Databases)],
      handleStructuredLogs: () => undefined,
    }),
  );
  await runtime.ready;
});
afterAll(() => runtime.dispose());

it("the host migrates while the worker prints much, as with a full disk and many calls", async () => {
  const answers = Array.from({ length: 4 }, async () => (await runtime.dispatchFetch("http://localhost/")).text());
  const files = [
    { name: "0001_first.sql", sql: "CREATE TABLE first (a TEXT);--> statement-breakpoint\nINSERT INTO first VALUES ('stored');" },
  ];
  expect(await applyMigrations(hostDatabase(runtime), files)).toEqual(["0001_first.sql"]);
  expect(await applyMigrations(hostDatabase(runtime), files)).toEqual([]);
  expect(await hostDatabase(runtime).prepare("SELECT a FROM first").all()).toEqual({ results: [{ a: "stored" }] });
  expect(await Promise.all(answers)).toEqual(["ok", "ok", "ok", "ok"]);
});

it("the host says why D1 refuses a statement, and stores none of its batch", async () => {
  const database = hostDatabase(runtime);
  await database.exec("CREATE TABLE second (a TEXT)");
  const batch = database.batch([database.prepare("INSERT INTO second VALUES ('a')"), database.prepare("INSERT INTO nowhere VALUES (1)")]);
  await expect(batch).rejects.toThrow("nowhere");
  expect(await database.prepare("SELECT a FROM second WHERE a = ?").bind("a").all()).toEqual({ results: [] });
});

it("other users of the machine cannot reach D1 this way", async () => {
  const headers = { "MF-Route-Override": "database" };
  const body = JSON.stringify([{ sql: "SELECT 1", values: [] }]);
  const answer = await fetch(await runtime.ready, { method: "POST", headers, body });
  expect([answer.status, await answer.text()]).toEqual([404, ""]);
});
