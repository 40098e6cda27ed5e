// Sends a password link that the email service refused (docs/operate/operations.md, "Email"). Each attempt makes a new link, so that no
// link is stored and each is valid for its full time.
import { HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import type { Env } from "#root/src/env.ts";
import { errorFields, log } from "#root/src/log.ts";
import { sendOwedLink } from "#root/src/services/identity/password-links.ts";
import type { Migrations } from "../shared/migrate.ts";
import type { TimeColumn } from "../shared/stored-times.ts";

/** Delays before each attempt. There are no more, because the user no longer expects the email after that. */
const WAIT_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS] as const;
/** Lease while the email is being sent, in case the object is evicted in the meantime. */
const LEASE_MS = 2 * MINUTE_MS;

export const OWED_LINK_MIGRATIONS: Migrations = [
  `CREATE TABLE owed_link (one INTEGER PRIMARY KEY CHECK (one = 1), user_id TEXT NOT NULL, asked_at INTEGER NOT NULL,
     due_at INTEGER NOT NULL, tries INTEGER NOT NULL DEFAULT 0)`,
];

export const OWED_LINK_TIMES: readonly TimeColumn[] = [
  { table: "owed_link", column: "asked_at", longestMs: 0 },
  { table: "owed_link", column: "due_at", longestMs: HOUR_MS },
];

type Row = { user_id: string; asked_at: number; due_at: number; tries: number };

export class OwedLink {
  readonly #env: Env;
  readonly #sql: SqlStorage;
  readonly #rearm: () => void;

  constructor(env: Env, sql: SqlStorage, rearm: () => void) {
    this.#env = env;
    this.#sql = sql;
    this.#rearm = rearm;
  }

  /** `askedAt`: a time after the refused link was created. */
  add(userId: string, askedAt: number, now: number): void {
    this.#sql.exec(
      `INSERT OR REPLACE INTO owed_link (one, user_id, asked_at, due_at) VALUES (1, ?, ?, ?)`,
      userId,
      askedAt,
      now + WAIT_MS[0],
    );
  }

  nextDue(): number | null {
    return this.#row()?.due_at ?? null;
  }

  run(now: number): void {
    const row = this.#row();
    if (row === null || row.due_at > now) return;
    this.#sql.exec("UPDATE owed_link SET due_at = ?", now + LEASE_MS);
    void this.#send(row, now).finally(this.#rearm);
  }

  async #send({ user_id: userId, asked_at: askedAt, tries }: Row, now: number): Promise<void> {
    // If the row has another time, a newer request has replaced it.
    const isSame = "asked_at = ?";
    try {
      await sendOwedLink(this.#env, userId, askedAt, now);
      this.#sql.exec(`DELETE FROM owed_link WHERE ${isSame}`, askedAt);
    } catch (error) {
      log("account.mail_failed", { tries: tries + 1, ...errorFields(error) });
      const wait = WAIT_MS[tries + 1];
      if (wait === undefined) this.#sql.exec(`DELETE FROM owed_link WHERE ${isSame}`, askedAt);
      // This attempt created a link itself, which must not be mistaken for a newer request.
      else
        this.#sql.exec(
          `UPDATE owed_link SET asked_at = ?, due_at = ?, tries = ? WHERE ${isSame}`,
          Date.now(),
          now + wait,
          tries + 1,
          askedAt,
        );
    }
  }

  #row(): Row | null {
    return this.#sql.exec<Row>("SELECT user_id, asked_at, due_at, tries FROM owed_link").toArray()[0] ?? null;
  }
}
