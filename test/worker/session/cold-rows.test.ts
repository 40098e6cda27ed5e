// The newest cold rows are stored in the session's progress row, older ones in pages. Each can be found, replaced, deleted and expired.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { CommitProgress } from "#root/durable-objects/connection/session/commit-progress.ts";
import { StateRows } from "#root/durable-objects/connection/session/state-rows.ts";
import type { StateRow } from "@gateway/protocol/session-socket.ts";
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";

const NOW = Date.UTC(2030, 0, 1);

type Rows = {
  sql: SqlStorage;
  commit(rows: readonly StateRow[], now?: number): void;
  /** State as loaded by a fresh object instance. */
  stored(): StateRows;
  value(key: string): string | undefined;
  pages(): number;
};

const withRows = (test: (rows: Rows) => void) =>
  runInDurableObject(env.CONNECTION.getByName(crypto.randomUUID()), (_object, { storage: { sql } }) => {
    const progress = new CommitProgress(sql);
    const rows = new StateRows(sql);
    const stored = () => new StateRows(sql);
    let seq = 0;
    progress.begin(1, "bridge");
    test({
      sql,
      stored,
      commit: (written, now = NOW) => {
        rows.write(written, now);
        progress.store({ seq: (seq += 1), counts: null, ...rows.take(), facts: 0 });
      },
      value: (key) => stored().fetch([key])[0]?.[1],
      pages: () => sql.exec<{ count: number }>("SELECT count(*) AS count FROM cold_page").one().count,
    });
  });

const numbered = (type: string, count: number): StateRow[] =>
  Array.from({ length: count }, (_, at): StateRow => [`${type}|${at}`, `${type} ${at}`]);

it("cold rows are all found again, sixteen of a type to a page", () =>
  withRows(({ commit, value, pages }) => {
    const rows = [...numbered("plain", 40), ...numbered("sent", 20)];
    for (const row of rows) commit([row]);
    expect(pages()).toBe(3);
    for (const [key, written] of rows) expect(value(key)).toBe(written);
    expect(value("plain|4")).toBe("plain 4");
    expect(value('plain|"4')).toBeUndefined();
  }));

it("cold rows have their last value, wherever an earlier one stands", () =>
  withRows(({ sql, commit, value }) => {
    sql.exec("INSERT INTO cold_row (key, value, expires_at) VALUES ('plain|0', 'of a release before', ?)", NOW + DAY_MS);
    expect(value("plain|0")).toBe("of a release before");
    commit(numbered("plain", 20));
    commit([
      ["plain|0", "again"],
      ["plain|19", "again"],
    ]);
    expect([value("plain|0"), value("plain|1"), value("plain|19")]).toEqual(["again", "plain 1", "again"]);
    for (const length of [5_000, 1_500_000, 10]) {
      commit([["plain|0", "x".repeat(length)]]);
      expect(value("plain|0")).toHaveLength(length);
    }
  }));

it("cold rows are gone once deleted, in every place", () =>
  withRows(({ sql, commit, value, stored }) => {
    sql.exec("INSERT INTO cold_row (key, value, expires_at) VALUES ('sent|0', 'of a release before', ?)", NOW + DAY_MS);
    commit(numbered("sent", 17));
    commit([
      ["sent|0", "again"],
      ["sent|0", null],
      ["sent|16", null],
    ]);
    expect([value("sent|0"), value("sent|1"), value("sent|16")]).toEqual([undefined, "sent 1", undefined]);
    expect([stored().hasSent("0"), stored().hasSent("1")]).toEqual([false, true]);
  }));

it("cold rows are as before when their commit was rolled back", () =>
  withRows(({ sql, commit, value }) => {
    commit(numbered("plain", 3));
    const rows = new StateRows(sql);
    rows.write([["plain|0", "never"]], NOW);
    rows.rolledBack();
    expect(rows.take().cold).toBeNull();
    expect(value("plain|0")).toBe("plain 0");
  }));

it("cold rows are wiped with the credentials", () =>
  withRows(({ sql, commit, stored }) => {
    commit([...numbered("plain", 17), ["creds|me", "AAAA"]]);
    const rows = stored();
    rows.wipe();
    new CommitProgress(sql).store({ seq: null, counts: null, ...rows.take(), facts: 0 });
    expect(stored().isEmpty()).toBe(true);
    expect(stored().nextDue()).toBeNull();
  }));

it("cold rows expire with their page, the newest each by itself", () =>
  withRows(({ commit, value, stored, pages }) => {
    commit(numbered("plain", 15));
    commit([["plain|15", "later"]], NOW + 2 * HOUR_MS);
    commit([["plain|16", "in no page"]], NOW + 3 * HOUR_MS);
    stored().run(NOW + DAY_MS + HOUR_MS);
    expect(pages()).toBe(1);
    stored().run(NOW + DAY_MS + 2 * HOUR_MS);
    expect([pages(), value("plain|0"), value("plain|16")]).toEqual([0, undefined, "in no page"]);
    expect(stored().nextDue()).toBe(NOW + DAY_MS + 3 * HOUR_MS);
    stored().run(NOW + DAY_MS + 3 * HOUR_MS);
    expect(value("plain|16")).toBeUndefined();
    expect(stored().nextDue()).toBeNull();
  }));

it("a clock that is set back keeps the newest cold rows no longer than others", () =>
  withRows(({ commit, stored, value }) => {
    commit([...numbered("plain", 1), ...numbered("sent", 1), ...numbered("poll", 1)], NOW + 30 * DAY_MS);
    stored().clockSetBack(NOW);
    expect(stored().nextDue()).toBe(NOW + DAY_MS);
    stored().run(NOW + DAY_MS);
    expect([value("plain|0"), value("sent|0"), value("poll|0")]).toEqual([undefined, "sent 0", "poll 0"]);
    stored().run(NOW + 7 * DAY_MS);
    expect([value("sent|0"), value("poll|0")]).toEqual([undefined, "poll 0"]);
    stored().run(NOW + 90 * DAY_MS);
    expect(stored().isEmpty()).toBe(true);
  }));
