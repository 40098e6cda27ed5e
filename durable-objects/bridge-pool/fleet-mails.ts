// The pool's queue of emails and alarm events. Each entry gets a few attempts.
import type { FleetMail } from "@gateway/domain/fleet/mails.ts";
import type { Env } from "#root/src/env.ts";
import { errorFields, log } from "#root/src/log.ts";
import { HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { addOwnerNotice } from "#root/src/services/mail/owner-notices.ts";
import { type Notice, sendNotice } from "#root/src/services/mail/send.ts";
import { postAlarm } from "./alarm-webhook.ts";
import { activeAdministrators } from "#root/src/services/fleet/people.ts";
import { findUser } from "#root/src/services/users/user-table.ts";
import { readNumber } from "../shared/read-number.ts";

/** Lease for each attempt. Together, the leases cover more than an hour, because mail servers can be down that long. */
const LEASE_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS, HOUR_MS] as const;
export const LONGEST_FLEET_MAIL_LEASE_MS = Math.max(...LEASE_MS);
const BATCH = 50;

/** Placeholder recipient that stands for all administrators at the time of sending. */
export const ADMINISTRATORS = "";

/** `alarm_webhook` is an event for the operator's receiver. Its row has the event's id in `subject`. */
export type FleetMailKind = Extract<Notice["kind"], "fleet_alarm" | "numbers_away"> | "alarm_webhook";
type FleetMailRow = { id: number; kind: FleetMailKind; user_id: string; subject: string; text: string; tries: number };

export class FleetMails {
  readonly #env: Env;
  readonly #sql: SqlStorage;
  readonly #rearm: () => void;
  #dueAt: number | null;

  constructor(env: Env, sql: SqlStorage, rearm: () => void) {
    this.#env = env;
    this.#sql = sql;
    this.#rearm = rearm;
    this.#dueAt = this.#read();
  }

  add(kind: FleetMailKind, userId: string, { subject, text }: FleetMail, now: number): void {
    this.#sql.exec(
      "INSERT INTO fleet_mail (kind, user_id, subject, text, due_at, tries) VALUES (?, ?, ?, ?, ?, 0)",
      kind,
      userId,
      subject,
      text,
      now,
    );
    this.#dueAt = this.#read();
    this.#rearm();
  }

  nextDue(): number | null {
    return this.#dueAt;
  }

  clockSetBack(): void {
    this.#dueAt = this.#read();
  }

  run(now: number): void {
    if (this.#dueAt === null || this.#dueAt > now) return;
    const due = this.#sql
      .exec<FleetMailRow>(
        "SELECT id, kind, user_id, subject, text, tries FROM fleet_mail WHERE due_at <= ? ORDER BY due_at LIMIT ?",
        now,
        BATCH,
      )
      .toArray();
    for (const row of due) {
      const lease = LEASE_MS[row.tries];
      if (lease === undefined) this.#remove(row.id);
      else this.#sql.exec("UPDATE fleet_mail SET tries = tries + 1, due_at = ? WHERE id = ?", now + lease, row.id);
      if (lease !== undefined) void this.#send(row);
    }
    this.#dueAt = this.#read();
  }

  async #send({ id, kind, user_id: userId, subject, text }: FleetMailRow): Promise<void> {
    try {
      if (kind === "alarm_webhook") await postAlarm(this.#env, { id: subject, body: text });
      else if (userId === ADMINISTRATORS) await this.#addForAdministrators({ kind, subject, text });
      else await this.#sendTo(userId, { kind, subject, text });
      this.#remove(id);
    } catch (error) {
      log("fleet.mail_failed", { kind, ...errorFields(error) });
    }
    this.#dueAt = this.#read();
    this.#rearm();
  }

  async #sendTo(userId: string, { kind, ...content }: FleetMail & { kind: Exclude<FleetMailKind, "alarm_webhook"> }): Promise<void> {
    if (kind === "numbers_away") return addOwnerNotice(this.#env, userId, { kind, ...content });
    const user = await findUser(this.#env.DB, userId);
    if (user !== null) await sendNotice(this.#env, { kind, ...content, to: user.email });
  }

  async #addForAdministrators({ kind, ...mail }: Pick<FleetMailRow, "kind" | "subject" | "text">): Promise<void> {
    const people = await activeAdministrators(this.#env.DB);
    for (const person of people) this.add(kind, person, mail, Date.now());
  }

  #remove(id: number): void {
    this.#sql.exec("DELETE FROM fleet_mail WHERE id = ?", id);
  }

  #read(): number | null {
    return readNumber(this.#sql, "SELECT min(due_at) FROM fleet_mail");
  }
}
