// Counts billed operations: storage rows by table, alarms, D1 statements, requests to connections, log lines. It counts the whole isolate,
// so a test must avoid other activity.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { Connection } from "#root/durable-objects/connection/connection.ts";

export type Rows = { read: number; written: number };

export type Counts = {
  /** Rows of all objects, including index entries and deleted rows. */
  rows: Rows;
  /** Rows by table. */
  tables: Record<string, Rows>;
  /** `set`: setAlarm, billed as a row; `cleared`: deleteAlarm; `rung`: alarms of connections. */
  alarms: { set: number; cleared: number; rung: number };
  /** D1 statements, including each one in a batch; rows if the response reports them. */
  d1: { statements: number; read: number; written: number; texts: string[] };
  /** Requests to connections: RPC and HTTP calls, and socket frames. */
  requests: { calls: Record<string, number>; frames: number };
  lines: Record<string, number>;
};

type Cursor = SqlStorageCursor<Record<string, SqlStorageValue>>;
type Exec = (this: SqlStorage, query: string, ...bindings: unknown[]) => Cursor;
type Change = () => void;

/** The current count; null while not counting. */
let now: { counts: Counts; update: Change[] } | null = null;
let isQuiet = false;
let patched = false;

/** Counts while `what` runs; it must wait for everything that it causes. */
export async function counted(what: () => Promise<unknown>): Promise<Counts> {
  await patch();
  const counts: Counts = {
    rows: { read: 0, written: 0 },
    tables: {},
    alarms: { set: 0, cleared: 0, rung: 0 },
    d1: { statements: 0, read: 0, written: 0, texts: [] },
    requests: { calls: {}, frames: 0 },
    lines: {},
  };
  const counting = { counts, update: [] };
  now = counting;
  try {
    await what();
  } finally {
    now = null;
  }
  for (const update of counting.update as Change[]) update();
  counts.rows = Object.values(counts.tables).reduce(
    (sum, { read, written }) => ({ read: sum.read + read, written: sum.written + written }),
    counts.rows,
  );
  return counts;
}

/** Excludes the test's own reads of a storage. */
export function uncounted<T>(look: () => T): T {
  isQuiet = true;
  try {
    return look();
  } finally {
    isQuiet = false;
  }
}

/** Rows written by table; tables without any are omitted. */
export const writtenBy = ({ tables }: Counts): Record<string, number> =>
  Object.fromEntries(
    Object.entries(tables)
      .filter(([, { written }]) => written > 0)
      .map(([table, { written }]) => [table, written] as const)
      .sort(([one], [other]) => one.localeCompare(other)),
  );

const counting = () => (isQuiet ? null : now);

/** Patches every object of the isolate, including those that wake later. The patches stay, but only count within `counted`. */
async function patch(): Promise<void> {
  if (patched) return;
  patched = true;
  await runInDurableObject(env.CONNECTION.getByName("counters"), (_object, { storage }) => {
    patchRows(Object.getPrototypeOf(storage.sql) as { exec: Exec });
    patchAlarms(Object.getPrototypeOf(storage) as DurableObjectStorage);
  });
  patchConnection(Connection.prototype);
  patchD1();
  const print = console.log;
  console.log = (...words: unknown[]) => {
    const event = /^\{"event":"([^"]+)"/.exec(String(words[0]))?.[1];
    const to = counting();
    if (event !== undefined && to !== null) add(to.counts.lines, event);
    print(...words);
  };
}

function patchRows(prototype: { exec: Exec }): void {
  const { exec } = prototype;
  prototype.exec = function (query, ...bindings) {
    const cursor = exec.call(this, query, ...bindings);
    const to = counting();
    if (to === null) return cursor;
    const rows = (to.counts.tables[tableOf(query)] ??= { read: 0, written: 0 });
    const last = { read: 0, written: 0 };
    const update = (): void => {
      rows.read += cursor.rowsRead - last.read;
      rows.written += cursor.rowsWritten - last.written;
      last.read = cursor.rowsRead;
      last.written = cursor.rowsWritten;
    };
    update();
    // Rows read later count later; only the object itself may read an unfinished cursor.
    for (const method of ["toArray", "one", "next"] as const) {
      const original = cursor[method] as () => unknown;
      Object.defineProperty(cursor, method, {
        value: () => {
          try {
            return original.call(cursor);
          } finally {
            update();
          }
        },
      });
    }
    to.update.push(() => {
      try {
        update();
      } catch {
        // The cursor was abandoned. The method above that read it has counted its rows.
      }
    });
    return cursor;
  };
}

function patchAlarms(prototype: DurableObjectStorage): void {
  const { setAlarm, deleteAlarm } = prototype;
  prototype.setAlarm = function (...args) {
    const to = counting();
    if (to !== null) to.counts.alarms.set += 1;
    return setAlarm.apply(this, args);
  };
  prototype.deleteAlarm = function (...args) {
    const to = counting();
    if (to !== null) to.counts.alarms.cleared += 1;
    return deleteAlarm.apply(this, args);
  };
}

function patchConnection(prototype: Connection): void {
  const methods = prototype as unknown as Record<string, (...args: unknown[]) => unknown>;
  for (const name of Object.getOwnPropertyNames(prototype)) {
    // Reading a getter of the prototype would throw.
    const isGetter = Object.getOwnPropertyDescriptor(prototype, name)?.get !== undefined;
    if (name === "constructor" || isGetter) continue;
    const original = methods[name] as (...args: unknown[]) => unknown;
    methods[name] = function (...args) {
      const counts = counting()?.counts;
      if (counts !== undefined) {
        if (name === "alarm") counts.alarms.rung += 1;
        else if (name.startsWith("webSocket")) counts.requests.frames += 1;
        else add(counts.requests.calls, name);
      }
      return original.apply(this, args);
    };
  }
}

type D1Statement = D1PreparedStatement & Record<"all" | "run" | "raw" | "first", (...args: unknown[]) => Promise<unknown>>;

function patchD1(): void {
  const database = databaseWithBatch(env.DB);
  const statement = Object.getPrototypeOf(env.DB.prepare("SELECT 1")) as D1Statement;
  const { batch } = database;
  let within = 0;
  const count = (statements: readonly unknown[]): void => {
    const counts = counting()?.counts;
    if (counts === undefined || within > 0) return;
    counts.d1.statements += statements.length;
    for (const one of statements) counts.d1.texts.push((one as { statement?: string }).statement ?? "");
  };
  const note = <T>(answer: T): T => {
    const counts = counting()?.counts;
    const meta = (answer as { meta?: { rows_read?: number; rows_written?: number } } | null)?.meta;
    if (counts !== undefined) {
      counts.d1.read += meta?.rows_read ?? 0;
      counts.d1.written += meta?.rows_written ?? 0;
    }
    return answer;
  };
  for (const method of ["all", "run", "raw", "first"] as const) {
    const original = statement[method];
    statement[method] = async function (this: D1Statement, ...args: unknown[]) {
      count([this]);
      // `first` may use the others internally; the call is synchronous up to its first await.
      within += 1;
      let asked: Promise<unknown>;
      try {
        asked = original.apply(this, args);
      } finally {
        within -= 1;
      }
      return note(await asked);
    } as never;
  }
  database.batch = async function (this: D1Database, statements: D1PreparedStatement[]) {
    count(statements);
    const answers = await batch.call(this, statements);
    for (const answer of answers) note(answer);
    return answers;
  } as never;
}

/** The prototype that has `batch`: tests bind databases that inherit from the original binding. */
function databaseWithBatch(database: D1Database): D1Database {
  let prototype = database;
  while (!Object.hasOwn(prototype, "batch")) prototype = Object.getPrototypeOf(prototype) as D1Database;
  return prototype;
}

function add(to: Record<string, number>, name: string): void {
  to[name] = (to[name] ?? 0) + 1;
}

function tableOf(query: string): string {
  return (
    /^\s*(?:INSERT\b.*?\bINTO|UPDATE(?: OR \w+)?|DELETE FROM)\s+([a-z_]+)/is.exec(query)?.[1] ??
    /\bFROM\s+([a-z_]+)/i.exec(query)?.[1] ??
    "other"
  );
}
