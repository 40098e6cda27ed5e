// Emails the owner once each time a webhook is disabled (docs/internals/delivery.md, "Disabling a webhook").
import type { OwnerNotice } from "#root/src/services/mail/send.ts";
import type { Endpoint } from "./endpoints.ts";
import type { DeliveryHost } from "./delivery-host.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import { MAIL_LEASE_MS, MAIL_RETRY_AFTER_MS, nextMailTry } from "../../shared/mail-retries.ts";
import { readNumber } from "../../shared/read-number.ts";

/** Unlike the other emails to owners, this one is retried once more, after a day. */
const RETRY_AFTER_MS = [...MAIL_RETRY_AFTER_MS, DAY_MS];

type NoticeRow = { queue_id: number; disabled_at: number; url: string; tries: number };

export class Notices {
  readonly #host: DeliveryHost;
  #dueAt: number | null;

  constructor(host: DeliveryHost) {
    this.#host = host;
    this.#dueAt = this.#read();
  }

  /** Queues an email. Called in the block that disables the endpoint. The key (queue, disabled_at) makes the call idempotent. */
  add(disabled: Endpoint, now: number): void {
    this.#host.sql.exec(
      "INSERT INTO notice (queue_id, disabled_at, url, due_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
      disabled.queueId,
      now,
      disabled.url,
      now,
    );
    this.#dueAt = this.#read();
  }

  nextDue(): number | null {
    return this.#dueAt;
  }

  clockSetBack(): void {
    this.#dueAt = this.#read();
  }

  run(now: number): void {
    if (this.#dueAt === null || this.#dueAt > now) return;
    const due = this.#host.sql
      .exec<NoticeRow>(
        "UPDATE notice SET tries = tries + 1, due_at = ? WHERE due_at <= ? RETURNING queue_id, disabled_at, url, tries",
        now + MAIL_LEASE_MS,
        now,
      )
      .toArray();
    this.#dueAt = this.#read();
    for (const row of due) void this.#send(row);
  }

  forget(queueId: number): void {
    this.#host.sql.exec("DELETE FROM notice WHERE queue_id = ?", queueId);
    this.#dueAt = this.#read();
  }

  async #send({ queue_id: queueId, disabled_at, url, tries }: NoticeRow): Promise<void> {
    const sent = await this.#host.mailOwner(mailOf(this.#host.instance().name, url)).catch(() => false);
    const dueAt = sent ? null : nextMailTry(tries, this.#host.clock(), RETRY_AFTER_MS);
    this.#host.sql.exec("UPDATE notice SET due_at = ? WHERE queue_id = ? AND disabled_at = ?", dueAt, queueId, disabled_at);
    this.#dueAt = this.#read();
    if (!sent) this.#host.log("webhook.mail_failed", { tries, next: dueAt });
    this.#host.rearm();
  }

  #read(): number | null {
    return readNumber(this.#host.sql, "SELECT min(due_at) FROM notice");
  }
}

/** The URL is shown without its query, which may contain a token. */
function mailOf(connection: string, url: string): OwnerNotice {
  const shown = url.split(/[?#]/)[0] ?? "";
  return {
    kind: "webhook_disabled",
    subject: `Webhook desativado: ${connection} / Webhook disabled`,
    text: `O webhook da conexão "${connection}" foi desativado, porque este endereço não aceita nenhuma entrega há 72 horas:

  ${shown}

Corrija o problema no servidor, envie um teste em Integrações e clique em Reativar. As entregas pendentes ficam no histórico por 7 dias, e você pode reenviá-las.

---

The webhook of the connection "${connection}" was disabled, because the address above has not accepted a delivery for 72 hours.

Fix the problem on the server, send a test under Integrations, and click Reactivate. Pending deliveries stay in the history for 7 days, and you can resend them.`,
  };
}
