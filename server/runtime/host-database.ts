// The host's access to D1. Miniflare's own access blocks the host's thread, which must keep reading workerd's output or workerd stalls.
import { randomBytes } from "node:crypto";
import type { Miniflare } from "miniflare";
import type { Database } from "./migrate.ts";

const NAME = "database";
/** Required in every request, because every user of the machine can reach workerd's entry on loopback. */
const SECRET = randomBytes(24).toString("base64url");
const SECRET_HEADER = "x-host-secret";

const SCRIPT = `export default {
  async fetch(request, { DB, SECRET }) {
    if (request.headers.get("${SECRET_HEADER}") !== SECRET) return new Response(null, { status: 404 });
    const statements = await request.json();
    const answers = await DB.batch(statements.map(({ sql, values }) => DB.prepare(sql).bind(...values)));
    return Response.json(answers.map(({ results }) => ({ results })));
  },
};`;

export function databaseWorker(compatibilityDate: string, d1Databases: Record<string, { id: string }>) {
  return { name: NAME, modules: true, compatibilityDate, script: SCRIPT, bindings: { SECRET }, d1Databases };
}

type Answer = { results: Record<string, unknown>[] };
type Statement = { sql: string; values: readonly string[] };
type Prepared = ReturnType<Database["prepare"]> & Statement;

/** `runtime` must include a `databaseWorker`. Rejects with D1's error. */
export function hostDatabase(runtime: Pick<Miniflare, "dispatchFetch">): Database {
  const run = async (statements: readonly Statement[]): Promise<Answer[]> => {
    const response = await runtime.dispatchFetch("http://localhost/", {
      method: "POST",
      headers: { "MF-Route-Override": NAME, [SECRET_HEADER]: SECRET },
      body: JSON.stringify(statements),
    });
    if (!response.ok) throw new Error(`D1 responded ${response.status}: ${await response.text()}`);
    return (await response.json()) as Answer[];
  };
  const prepare = (sql: string, values: readonly string[] = []): Prepared => ({
    sql,
    values,
    bind: (value) => prepare(sql, [value]),
    all: async () => (await run([{ sql, values }]))[0] ?? { results: [] },
  });
  return {
    exec: (sql) => run([prepare(sql)]),
    prepare: (sql) => prepare(sql),
    batch: (statements) => run(statements as Prepared[]),
  };
}
