// A D1 that fails in documented ways (https://developers.cloudflare.com/d1/observability/debug-d1/), before or after it runs a statement.

import { DATABASE } from "./platform-bindings.ts";

/** Transient errors from the platform's list, with or without "retry the operation". */
export const PASSING_ERRORS = [
  "D1 DB reset because its code was updated.",
  "Internal error while starting up D1 DB storage caused object to be reset.",
  "Internal error in D1 DB storage caused object to be reset.",
  "Network connection lost.",
  "Replica disconnected from primary.",
  "Cannot resolve D1 DB due to transient issue on remote node.",
  "Can't read from request stream because client disconnected.",
  "D1 DB storage operation exceeded timeout which caused object to be reset.",
  "D1 DB is overloaded. Requests queued for too long.",
  "D1 DB is overloaded. Too many requests queued.",
  "Failed to get session commit token: internal error; reference = 0pg5f4klcpcul44aqath5gr2",
  "D1 DB's isolate exceeded its memory limit and was reset.",
  "D1 DB exceeded its CPU time limit and was reset.",
] as const;

export type Fault = { message: string; hasRun?: boolean };

/** One in `n` statements fails, rotating through the errors, before or after it runs. */
export function oneIn(n: number): (sql: string) => Fault | null {
  let statements = 0;
  return () => {
    statements += 1;
    if (statements % n !== 0) return null;
    const failures = statements / n;
    return { message: PASSING_ERRORS[failures % PASSING_ERRORS.length] ?? "", hasRun: failures % 2 === 0 };
  };
}

/** The first matching statement fails once. */
export function once(which: RegExp, failure: Fault): (sql: string) => Fault | null {
  let left = 1;
  return (sql) => (left > 0 && which.test(sql) && left-- > 0 ? failure : null);
}

const RUNS = ["first", "all", "run", "raw"] as const;
const plain = new WeakMap<object, { statement: D1PreparedStatement; sql: string }>();

/** `fault` decides whether each statement fails (a batch counts as one, its texts joined); null lets it run. */
export function failingDatabase(database: D1Database, fault: (sql: string) => Fault | null): D1Database {
  const run = <T>(sql: string, work: () => Promise<T>): Promise<T> => runOrFail(fault(sql), work);
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

async function runOrFail<T>(failure: Fault | null, work: () => Promise<T>): Promise<T> {
  if (failure === null || failure.hasRun === true) {
    const answer = await work();
    if (failure === null) return answer;
  }
  throw new Error(`D1_ERROR: ${failure.message}`, { cause: new Error(failure.message) });
}

type Method = (this: object, ...args: unknown[]) => Promise<unknown>;
type Statement = { statement: string };

/** Makes D1 fail for worker, objects and tests until the returned function is called. `aside` exempts the test's own statements. */
export function failEverywhere(fault: (sql: string) => Fault | null): {
  end: () => void;
  aside: <T>(work: () => Promise<T>) => Promise<T>;
} {
  let asides = 0;
  const ends: (() => void)[] = [];
  const replace = (prototype: Record<string, Method>, name: string, textOf: (target: object, args: unknown[]) => string) => {
    const original = prototype[name] as Method;
    prototype[name] = function (...args) {
      return asides > 0 ? original.apply(this, args) : runOrFail(fault(textOf(this, args)), () => original.apply(this, args));
    };
    ends.push(() => void (prototype[name] = original));
  };
  const statement = Object.getPrototypeOf(DATABASE.prepare("SELECT 1")) as Record<string, Method>;
  for (const name of RUNS) replace(statement, name, (target) => (target as Statement).statement);
  replace(Object.getPrototypeOf(DATABASE) as Record<string, Method>, "batch", (_database, [statements]) =>
    (statements as Statement[]).map((each) => each.statement).join(";\n"),
  );
  return {
    end: () => ends.forEach((end) => end()),
    aside: async (work) => {
      asides += 1;
      return work().finally(() => (asides -= 1));
    },
  };
}
