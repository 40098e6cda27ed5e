// Notices to the account's owner (docs/operate/operations.md, "Email"), batched into at most one email an hour, because an outage may hit
// many numbers. Once the deployment's email limit is reached, they wait, because identity emails have priority.
import { digestOf } from "@gateway/domain/people/notice-digest.ts";
import { HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { type Env, settingsOf } from "#root/src/env.ts";
import { errorFields, log } from "#root/src/log.ts";
import { claimOwnerMail } from "#root/src/services/identity/address-guards.ts";
import { type OwnerNotice, sendNotice } from "#root/src/services/mail/send.ts";
import { findUser } from "#root/src/services/users/user-table.ts";
import type { Migrations } from "../shared/migrate.ts";
import type { TimeColumn } from "../shared/clock-steps.ts";
import { MAIL_LEASE_MS, nextMailTry } from "../shared/mail-retries.ts";
import { countRows } from "../shared/read-number.ts";

const GATHER_MS = 5 * MINUTE_MS;
const INTERVAL_MS = HOUR_MS;
const MAX_STORED = 500;
/** A new notice lowers the count of failed tries to this. `nextMailTry` gives up after five. */
const LATE_TRIES = 3;
/** Maximum pause once the daily limit is used up. A fixed pause needs fewer calls than a check of when the limit resets. */
const MAX_PAUSE_MS = HOUR_MS;

export const NOTICE_MIGRATIONS: Migrations = [
  `CREATE TABLE owner_notice (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, subject TEXT NOT NULL, text TEXT NOT NULL);
   CREATE TABLE owner_mail (one INTEGER PRIMARY KEY CHECK (one = 1), owner_id TEXT NOT NULL, due_at INTEGER, sent_at INTEGER,
     tries INTEGER NOT NULL DEFAULT 0);`,
];

export const NOTICE_TIMES: readonly TimeColumn[] = [
  { table: "owner_mail", column: "due_at", longestMs: 6 * HOUR_MS },
  { table: "owner_mail", column: "sent_at", longestMs: 0 },
];

type MailRow = { owner_id: string; due_at: number | null; sent_at: number | null; tries: number };
type NoticeRow = { id: number; kind: OwnerNotice["kind"]; subject: string; text: string };

export class OwnerNotices {
  readonly #env: Env;
  readonly #sql: SqlStorage;
  readonly #rearm: () => void;

  constructor(env: Env, sql: SqlStorage, rearm: () => void) {
    this.#env = env;
    this.#sql = sql;
    this.#rearm = rearm;
  }

  add(ownerId: string, { kind, subject, text }: OwnerNotice, now: number): void {
    if (countRows(this.#sql, "owner_notice") >= MAX_STORED) return log("mail.left_out", { kind });
    this.#sql.exec("INSERT INTO owner_notice (kind, subject, text) VALUES (?, ?, ?)", kind, subject, text);
    const known = this.#mail();
    if (known !== null && known.due_at !== null) {
      // Guarantees the new notice at least two tries, even if the earlier notices have only one left.
      this.#sql.exec("UPDATE owner_mail SET tries = min(tries, ?)", LATE_TRIES);
      return;
    }
    const dueAt = Math.max(now + GATHER_MS, (known?.sent_at ?? Number.NEGATIVE_INFINITY) + INTERVAL_MS);
    this.#sql.exec(
      "INSERT INTO owner_mail (one, owner_id, due_at) VALUES (1, ?1, ?2) ON CONFLICT (one) DO UPDATE SET due_at = ?2, tries = 0",
      ownerId,
      dueAt,
    );
  }

  nextDue(): number | null {
    return this.#mail()?.due_at ?? null;
  }

  run(now: number): void {
    const mail = this.#mail();
    if (mail === null || mail.due_at === null || mail.due_at > now) return;
    this.#due(now + MAIL_LEASE_MS);
    void this.#send(mail, now).finally(this.#rearm);
  }

  async #send({ owner_id: ownerId, tries }: MailRow, now: number): Promise<void> {
    try {
      const claimed = await claimOwnerMail(this.#env);
      if (claimed.blocked) return this.#due(now + Math.min(claimed.retryAfterMs, MAX_PAUSE_MS));
      const owner = await findUser(this.#env.DB, ownerId);
      const notices = this.#sql.exec<NoticeRow>("SELECT id, kind, subject, text FROM owner_notice ORDER BY id").toArray();
      if (owner !== null) await this.#mailTo(owner.email, notices);
      this.#sent(notices.at(-1)?.id ?? 0, now);
    } catch (error) {
      // A notice that arrived during the attempt may have lowered the stored count.
      const made = Math.min(tries, this.#mail()?.tries ?? tries) + 1;
      log("account.mail_failed", { tries: made, ...errorFields(error) });
      const dueAt = nextMailTry(made, now);
      if (dueAt === null) this.#sent(Number.MAX_SAFE_INTEGER, now);
      else this.#sql.exec("UPDATE owner_mail SET due_at = ?, tries = ?", dueAt, made);
    }
  }

  async #mailTo(email: string, notices: readonly NoticeRow[]): Promise<void> {
    const [first] = notices;
    if (first === undefined) return;
    const kind = notices.length === 1 ? first.kind : "digest";
    await sendNotice(this.#env, { kind, to: email, ...textOf(digestOf(notices, settingsOf(this.#env).APP_URL)) });
  }

  /** Notices that arrived during the send wait for the next email. */
  #sent(through: number, now: number): void {
    this.#sql.exec("DELETE FROM owner_notice WHERE id <= ?", through);
    const left = countRows(this.#sql, "owner_notice");
    this.#sql.exec("UPDATE owner_mail SET sent_at = ?1, tries = 0, due_at = ?2", now, left > 0 ? now + INTERVAL_MS : null);
  }

  #due(at: number): void {
    this.#sql.exec("UPDATE owner_mail SET due_at = ?", at);
  }

  #mail(): MailRow | null {
    return this.#sql.exec<MailRow>("SELECT owner_id, due_at, sent_at, tries FROM owner_mail").toArray()[0] ?? null;
  }
}

const textOf = ({ subject, text }: { subject: string; text: string }) => ({ subject, text });
