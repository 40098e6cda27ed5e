// Retries emails that the email service refused (docs/operate/operations.md, "Email"). Each attempt rebuilds the email from current data.
import { HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import type { Env } from "#root/src/env.ts";
import { errorFields, log } from "#root/src/log.ts";
import type { OwedMailKind } from "#root/src/services/accounts/guard.ts";
import { deletedMail } from "#root/src/services/identity/mails.ts";
import { sendOwedLink } from "#root/src/services/identity/password-links.ts";
import { sendMail } from "#root/src/services/mail/send.ts";
import { sendOwedInvitation } from "#root/src/services/shares/invitation.ts";
import type { Migrations } from "../shared/migrate.ts";
import type { TimeColumn } from "../shared/clock-steps.ts";
import { MAIL_LEASE_MS, MAIL_RETRY_AFTER_MS } from "../shared/mail-retries.ts";
import { readNumber } from "../shared/read-number.ts";

type Kind = {
  /** After the last wait, the guard drops the email. */
  waitMs: readonly number[];
  /** Sends nothing if the email is no longer wanted. */
  send: (env: Env, subject: string, askedAt: number, now: number) => Promise<void>;
};

const LINK_WAIT_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS] as const;

const KINDS: Readonly<Record<OwedMailKind, Kind>> = {
  // Gives up after about two hours, because by then the user no longer expects a link.
  link: { waitMs: LINK_WAIT_MS, send: sendOwedLink },
  invitation: { waitMs: MAIL_RETRY_AFTER_MS, send: sendOwedInvitation },
  deleted: { waitMs: MAIL_RETRY_AFTER_MS, send: (env, to) => sendMail(env, deletedMail(to)) },
};

export const OWED_MAIL_MIGRATIONS: Migrations = [
  `CREATE TABLE owed_link (one INTEGER PRIMARY KEY CHECK (one = 1), user_id TEXT NOT NULL, asked_at INTEGER NOT NULL,
     due_at INTEGER NOT NULL, tries INTEGER NOT NULL DEFAULT 0)`,
  // `subject` is the id of a user or an invitation, or the address of a deleted account.
  `CREATE TABLE owed_mail (kind TEXT, subject TEXT, asked_at INTEGER NOT NULL, due_at INTEGER NOT NULL, tries INTEGER NOT NULL,
     PRIMARY KEY (kind, subject)) WITHOUT ROWID;
   INSERT INTO owed_mail (kind, subject, asked_at, due_at, tries) SELECT 'link', user_id, asked_at, due_at, tries + 1 FROM owed_link;
   DROP TABLE owed_link;`,
];

export const OWED_MAIL_TIMES: readonly TimeColumn[] = [
  { table: "owed_mail", column: "asked_at", longestMs: 0 },
  { table: "owed_mail", column: "due_at", longestMs: 6 * HOUR_MS },
];

type OwedMailRow = { kind: OwedMailKind; subject: string; asked_at: number; tries: number };

export class OwedMail {
  readonly #env: Env;
  readonly #sql: SqlStorage;
  readonly #rearm: () => void;

  constructor(env: Env, sql: SqlStorage, rearm: () => void) {
    this.#env = env;
    this.#sql = sql;
    this.#rearm = rearm;
  }

  /** `askedAt` must be later than the refused email's link. `tries` counts earlier attempts. If it is 0, the first one runs at once. */
  add({ kind, subject, askedAt, tries }: { kind: OwedMailKind; subject: string; askedAt: number; tries: 0 | 1 }, now: number): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO owed_mail (kind, subject, asked_at, due_at, tries) VALUES (?, ?, ?, ?, ?)",
      kind,
      subject,
      askedAt,
      tries === 0 ? now : now + (KINDS[kind].waitMs[0] ?? 0),
      tries,
    );
  }

  nextDue(): number | null {
    return readNumber(this.#sql, "SELECT min(due_at) FROM owed_mail");
  }

  run(now: number): void {
    const due = this.#sql.exec<OwedMailRow>("SELECT kind, subject, asked_at, tries FROM owed_mail WHERE due_at <= ?", now).toArray();
    this.#sql.exec("UPDATE owed_mail SET due_at = ? WHERE due_at <= ?", now + MAIL_LEASE_MS, now);
    for (const row of due) void this.#send(row, now).finally(this.#rearm);
  }

  async #send({ kind, subject, asked_at: askedAt, tries }: OwedMailRow, now: number): Promise<void> {
    // If the row has a different `asked_at`, a newer request has replaced this one.
    const isSame = "kind = ? AND subject = ? AND asked_at = ?";
    const { send, waitMs } = KINDS[kind];
    try {
      await send(this.#env, subject, askedAt, now);
      this.#sql.exec(`DELETE FROM owed_mail WHERE ${isSame}`, kind, subject, askedAt);
    } catch (error) {
      log("account.mail_failed", { kind, tries: tries + 1, ...errorFields(error) });
      const wait = waitMs[tries];
      if (wait === undefined) this.#sql.exec(`DELETE FROM owed_mail WHERE ${isSame}`, kind, subject, askedAt);
      // The attempt may have created a link itself, which must not count as a newer request.
      else
        this.#sql.exec(
          `UPDATE owed_mail SET asked_at = ?, due_at = ?, tries = ? WHERE ${isSame}`,
          Date.now(),
          now + wait,
          tries + 1,
          kind,
          subject,
          askedAt,
        );
    }
  }
}
