// The most recently changed Signal sessions are stored in the session's progress row, the others in separate rows. Each is found, loaded
// once, replaced and deleted in either.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { CommitProgress } from "#root/durable-objects/connection/session/commit-progress.ts";
import { StateRows } from "#root/durable-objects/connection/session/state-rows.ts";
import type { StateRow } from "@gateway/protocol/session-socket.ts";

const NOW = Date.UTC(2030, 0, 1);

type Rows = {
  sql: SqlStorage;
  /** Returns the number of rows written, including the progress row. */
  commit(rows: readonly StateRow[]): number;
  /** State as loaded by a fresh object instance. */
  stored(): StateRows;
  /** Rows that the object loads into a bridge. */
  loaded(): StateRow[];
  inRows(): string[];
};

const withRows = (test: (rows: Rows) => void) =>
  runInDurableObject(env.CONNECTION.getByName(crypto.randomUUID()), (_object, { storage: { sql } }) => {
    let written = 0;
    const counting = new Proxy(sql, {
      get: (_, name) =>
        name === "exec"
          ? (...query: Parameters<SqlStorage["exec"]>) => {
              const cursor = sql.exec(...query);
              written += cursor.rowsWritten;
              return cursor;
            }
          : undefined,
    });
    const progress = new CommitProgress(counting);
    const rows = new StateRows(counting);
    const stored = () => new StateRows(sql);
    let seq = 0;
    progress.begin(1, "bridge");
    test({
      sql,
      stored,
      commit: (changed) => {
        written = 0;
        rows.write(changed, NOW);
        progress.store({ seq: (seq += 1), counts: null, ...rows.take(), facts: 0 });
        return written;
      },
      loaded: () => [...stored().slices()].flatMap((slice) => slice.rows),
      inRows: () =>
        sql
          .exec<{ key: string }>("SELECT key FROM state_row ORDER BY key")
          .toArray()
          .map(({ key }) => key),
    });
  });

const session = (at: number, value = `value ${at}`): StateRow => [`session|${at}`, value];

it("a Signal session costs no row while it is among the sixteen that changed last", () =>
  withRows(({ sql, commit, inRows, stored }) => {
    for (let at = 0; at < 16; at += 1) expect(commit([session(at)])).toBe(1);
    expect(commit([session(0, "again")])).toBe(1);
    expect(commit([])).toBe(1);
    expect(inRows()).toEqual([]);
    // The least recently changed session is evicted.
    expect(commit([session(16)])).toBe(3);
    expect(inRows()).toEqual(["session|1"]);
    expect(stored().fetch(["session|0", "session|1", "session|16", "session|17"])).toEqual([session(0, "again"), session(1), session(16)]);
    expect(stored().isEmpty()).toBe(false);
    expect(sql.exec("SELECT 1 FROM progress WHERE sessions LIKE '%session|1\"%'").toArray()).toEqual([]);
  }));

it("a Signal session is loaded once, with its last value, wherever an earlier one stands", () =>
  withRows(({ sql, commit, loaded }) => {
    sql.exec("INSERT INTO state_row (key, value) VALUES ('session|0', 'of a release before'), ('creds|me', 'AAAA')");
    expect(loaded()).toEqual([session(0, "of a release before"), ["creds|me", "AAAA"]]);
    const expected = new Map<string, string>([["creds|me", "AAAA"]]);
    for (const round of ["first", "second", "third"]) {
      for (let at = 0; at < 20; at += 1) {
        const row = session(at, `${round} ${at}`);
        commit([row]);
        expected.set(row[0], row[1] ?? "");
      }
      expect(new Map(loaded())).toEqual(expected);
      expect(loaded()).toHaveLength(expected.size);
    }
    for (const length of [5_000, 1_500_000, 10, 4_001]) {
      commit([session(19, "x".repeat(length))]);
      const found = loaded().filter(([key]) => key === "session|19");
      expect(found.map(([, value]) => value?.length)).toEqual([length]);
    }
    expect(sql.exec("SELECT 1 FROM row_part").toArray()).toEqual([]);
  }));

it("a Signal session is gone once deleted, in both places", () =>
  withRows(({ sql, commit, loaded }) => {
    sql.exec("INSERT INTO state_row (key, value) VALUES ('session|0', 'of a release before'), ('session|1', 'of a release before')");
    commit([session(0), session(2)]);
    commit([
      ["session|0", null],
      ["session|1", null],
      ["session|2", null],
    ]);
    expect(loaded()).toEqual([]);
  }));

it("a Signal session is as before when its commit was rolled back", () =>
  withRows(({ sql, commit, loaded }) => {
    commit([session(0)]);
    const rows = new StateRows(sql);
    rows.write([session(0, "never"), session(1)], NOW);
    rows.rolledBack();
    expect(rows.take()).toEqual({ cold: null, sessions: null });
    expect(rows.fetch(["session|0", "session|1"])).toEqual([session(0)]);
    expect(loaded()).toEqual([session(0)]);
  }));

it("a Signal session is wiped with the credentials", () =>
  withRows(({ sql, commit, stored, loaded }) => {
    commit([...Array.from({ length: 17 }, (_, at) => session(at)), ["creds|me", "AAAA"]]);
    const rows = stored();
    rows.wipe();
    new CommitProgress(sql).store({ seq: null, counts: null, ...rows.take(), facts: 0 });
    expect(stored().isEmpty()).toBe(true);
    expect(loaded()).toEqual([]);
  }));
