// Emails the owner once when the number has been offline for an hour (docs/internals/statuses.md, "Statuses of an instance").
import { log } from "#root/src/log.ts";
import type { OwnerNotice } from "#root/src/services/mail/send.ts";
import type { Participant } from "../commit-handler.ts";
import { readNumber } from "../../shared/read-number.ts";
import { MAIL_LEASE_MS, nextMailTry } from "../../shared/mail-retries.ts";

export type OwnerAlertsDependencies = {
  sql: SqlStorage;
  name: () => string;
  mailOwner: (mail: OwnerNotice) => Promise<boolean>;
  rearm: () => void;
};

export class OwnerAlerts implements Participant {
  readonly #deps: OwnerAlertsDependencies;
  #dueAt: number | null;

  constructor(deps: OwnerAlertsDependencies) {
    this.#deps = deps;
    this.#dueAt = this.#read();
  }

  /** Called in a commit's transaction. */
  add(now: number): void {
    this.#deps.sql.exec("INSERT OR IGNORE INTO owner_alert (at, due_at) VALUES (?, ?)", now, now);
    this.#dueAt = this.#read();
  }

  nextDue(): number | null {
    return this.#dueAt;
  }

  rolledBack(): void {
    this.#dueAt = this.#read();
  }

  clockSetBack(): void {
    this.#dueAt = this.#read();
  }

  run(now: number): void {
    if (this.#dueAt === null || this.#dueAt > now) return;
    const due = this.#deps.sql
      .exec<{ at: number; tries: number }>(
        "UPDATE owner_alert SET tries = tries + 1, due_at = ? WHERE due_at <= ? RETURNING at, tries",
        now + MAIL_LEASE_MS,
        now,
      )
      .toArray();
    this.#dueAt = this.#read();
    for (const { at, tries } of due) void this.#send(at, tries, now);
  }

  async #send(at: number, tries: number, now: number): Promise<void> {
    const sent = await this.#deps.mailOwner(mailOf(this.#deps.name())).catch(() => false);
    const dueAt = sent ? null : nextMailTry(tries, now);
    if (dueAt === null) this.#deps.sql.exec("DELETE FROM owner_alert WHERE at = ?", at);
    else this.#deps.sql.exec("UPDATE owner_alert SET due_at = ? WHERE at = ?", dueAt, at);
    if (!sent) log("session.mail_failed", { tries });
    this.#dueAt = this.#read();
    this.#deps.rearm();
  }

  #read(): number | null {
    return readNumber(this.#deps.sql, "SELECT min(due_at) FROM owner_alert");
  }
}

function mailOf(connection: string): OwnerNotice {
  return {
    kind: "connection_stopped",
    subject: `Conexão desconectada: ${connection} / Connection offline`,
    text: `A conexão "${connection}" está desconectada há uma hora. Continuamos tentando reconectar a cada cinco minutos.

O número continua pareado, e o WhatsApp guarda as mensagens que chegarem. Para tentar agora, clique em Reconectar no painel.

---

The connection "${connection}" has been offline for an hour. We keep trying to reconnect every five minutes.

The number stays paired, and WhatsApp keeps incoming messages. To try now, click Reconnect in the dashboard.`,
  };
}
