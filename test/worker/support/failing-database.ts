// A D1 that fails as the platform documents (https://developers.cloudflare.com/d1/observability/debug-d1/), before or after it has run a statement.

export type Fault = { message: string; hasRun?: boolean };

const RUNS = ["first", "all", "run", "raw"] as const;
const plain = new WeakMap<object, { statement: D1PreparedStatement; sql: string }>();

/** `fault`: what becomes of each statement (a batch is one, its texts joined); null: it runs. */
export function failingDatabase(database: D1Database, fault: (sql: string) => Fault | null): D1Database {
  const run = async <T>(sql: string, work: () => Promise<T>): Promise<T> => {
    const failure = fault(sql);
    if (failure === null || failure.hasRun === true) {
      const answer = await work();
      if (failure === null) return answer;
    }
    throw new Error(`D1_ERROR: ${failure.message}`, { cause: new Error(failure.message) });
  };
  const wrapped = (statement: D1PreparedStatement, sql: string): D1PreparedStatement => {
    const calls = RUNS.map((name) => {
      const call = statement[name].bind(statement) as (...args: unknown[]) => Promise<unknown>;
      return [name, (...args: unknown[]) => run(sql, () => call(...args))];
    });
    const outer = { ...Object.fromEntries(calls), bind: (...values: unknown[]) => wrapped(statement.bind(...values), sql) };
    plain.set(outer, { statement, sql });
    return outer as unknown as D1PreparedStatement;
  };
  return {
    prepare: (sql: string) => wrapped(database.prepare(sql), sql),
    batch: (statements: object[]) => {
      const inner = statements.flatMap((each) => plain.get(each) ?? []);
      return run(inner.map(({ sql }) => sql).join(";\n"), () => database.batch(inner.map(({ statement }) => statement)));
    },
  } as unknown as D1Database;
}
