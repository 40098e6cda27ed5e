// An account with thousands of connections. Their fake objects record pushes, and each invocation's calls are counted.
import { AsyncLocalStorage } from "node:async_hooks";
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { Env } from "#root/src/env.ts";
import type { AccountEndpoint, Call, CallResult, ConnectionRecord } from "@gateway/protocol/connection.ts";
import { someone } from "../support/people.ts";

/** Calls and D1 use of one invocation. */
export type Asked = { calls: number; statements: number; rowsRead: number };

const inInvocation = new AsyncLocalStorage<Asked>();

/** `told`: revisions accepted by each object, in order. `refused`: older revisions that arrived later. */
export type World = Awaited<ReturnType<typeof accountOf>>;

export async function accountOf(count: number) {
  const { user, headers } = await someone(count);
  const uuids = Array.from({ length: count }, () => crypto.randomUUID());
  const insert = env.DB.prepare(
    `INSERT INTO connection (uuid, owner_id, name, kind, metadata, settings, created_at, updated_at)
     SELECT value, ?, 'A', 'session', '{}', '{}', 0, 0 FROM json_each(?)`,
  );
  await insert.bind(user.id, JSON.stringify(uuids)).run();
  const told = new Map<string, number[]>(uuids.map((uuid) => [uuid, []]));
  const refused: string[] = [];
  const broken = new Set<string>();
  const records = new Map<string, ConnectionRecord>();
  const endpoints = new Map<string, AccountEndpoint[]>();
  const invocations: Asked[] = [];
  const outside: Asked = { calls: 0, statements: 0, rowsRead: 0 };
  const state = {
    calls: 0,
    beforeCall: async (): Promise<void> => undefined,
    perform: (_uuid: string, _call: Call): CallResult => ({ ok: true, json: "{}" }),
  };
  const asked = () => inInvocation.getStore() ?? outside;
  const take = async (uuid: string, revision: number, store: () => void): Promise<void> => {
    asked().calls += 1;
    if (broken.has(uuid)) throw Object.assign(new Error("away"), { retryable: true });
    state.calls += 1;
    const revisions = told.get(uuid) ?? [];
    if (revision < (revisions.at(-1) ?? 0)) refused.push(uuid);
    else {
      revisions.push(revision);
      store();
    }
    await state.beforeCall();
  };
  const CONNECTION = {
    getByName: (uuid: string) => ({
      configure: (record: ConnectionRecord) => take(uuid, record.revision, () => records.set(uuid, record)),
      perform: async (call: Call): Promise<CallResult> => {
        asked().calls += 1;
        return state.perform(uuid, call);
      },
      accountEndpointsChanged: (all: AccountEndpoint[], revision: number) => take(uuid, revision, () => endpoints.set(uuid, all)),
    }),
  };
  const bindings = { ...env, DB: countedDatabase(env.DB, asked), CONNECTION } as unknown as Env;
  /** Makes the account's guard call these objects, too. */
  const guard = env.ACCOUNT_GUARD.getByName(user.id);
  await runInDurableObject(guard, (object) => void ((object as unknown as { env: Env }).env = bindings));
  /** Runs as a separate invocation. */
  const invoke = async <T>(run: () => Promise<T>): Promise<T> => {
    const counts = { calls: 0, statements: 0, rowsRead: 0 };
    invocations.push(counts);
    return inInvocation.run(counts, run);
  };
  return { id: user.id, headers, uuids, told, refused, broken, records, endpoints, invocations, outside, state, bindings, guard, invoke };
}

/** A new endpoint for all its connections. */
export const endpointOf = ({ id }: Pick<World, "id">) => ({
  userId: id,
  url: "https://hooks.example.com/",
  events: ["message.received"],
  secret: null,
  description: null,
  instanceId: null,
  headers: {},
  retryCount: 3,
  timeoutMs: 5_000,
  isActive: true,
});

/** Counts executed statements, including each one in a batch, and the rows they read. */
function countedDatabase(database: D1Database, asked: () => Asked): D1Database {
  const count = <T>(result: T): T => {
    const meta = (result as { meta?: { rows_read?: number } } | null)?.meta;
    asked().rowsRead += meta?.rows_read ?? 0;
    return result;
  };
  const originals = new WeakMap<object, D1PreparedStatement>();
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const ran = <A extends unknown[], T>(run: (...args: A) => Promise<T>) => {
      return async (...args: A): Promise<T> => {
        asked().statements += 1;
        return count(await run(...args));
      };
    };
    const wrapped = {
      bind: (...values: unknown[]) => wrap(statement.bind(...values)),
      run: ran(() => statement.run()),
      all: ran(() => statement.all()),
      first: ran((...args: [string]) => statement.first(...args)),
      raw: ran((...args: [{ columnNames: true }]) => statement.raw(...args)),
    } as unknown as D1PreparedStatement;
    originals.set(wrapped, statement);
    return wrapped;
  };
  return {
    prepare: (query: string) => wrap(database.prepare(query)),
    batch: async (statements: D1PreparedStatement[]) => {
      asked().statements += statements.length;
      const results = await database.batch(statements.map((each) => originals.get(each) ?? each));
      for (const result of results) count(result);
      return results;
    },
  } as unknown as D1Database;
}
