// Pending changes and the webhooks that contain them, stored so that they survive `kill -9`.
import { inTransaction, statement, type Database } from "../../phone/store/database.ts";
import { phpJson, type Sign } from "./bytes.ts";

/** With `number`, webhooks go to the number's own callback. With `app`, they go only to the app's URL. */
export type Scope = "number" | "app";

export type Change = {
  field: string;
  value: Record<string, unknown>;
};

export type Destination = {
  url: string;
  secret: string;
  wabaId: string;
};

export type Webhook = {
  seq: number;
  number: string;
  scope: Scope;
  body: string;
  sign: Sign | "handshake";
  state: "waiting" | "done";
};

export type Attempt = {
  url: string;
  signature: string | null;
  at: number;
  status: number | null;
  error: string | null;
  latency_ms: number;
};

export type WebhookView = {
  id: string;
  phone_number_id: string;
  kind: "changes" | "handshake";
  body: string;
  state: "waiting" | "done";
  created_at: number;
  attempts: Attempt[];
};

const MAX_BATCH = 50;
/** Older webhooks are deleted, so that the database does not grow while a network runs for weeks. */
const WEBHOOK_RETENTION = 20_000;

export class WebhookQueue {
  readonly #db: Database;
  #written = 0;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Stores a change, once per `key` and number. It can be called inside a transaction. */
  add(number: string, scope: Scope, key: string, change: Change): boolean {
    const { changes } = statement(this.#db, "INSERT OR IGNORE INTO cloud_change (number, scope, key, change) VALUES (?, ?, ?, ?)").run(
      number,
      scope,
      key,
      JSON.stringify(change),
    );
    return changes === 1;
  }

  waitingChanges(): Array<{ number: string; scope: Scope; count: number }> {
    const rows = statement(
      this.#db,
      "SELECT number, scope, COUNT(*) AS count FROM cloud_change WHERE webhook IS NULL GROUP BY number, scope ORDER BY MIN(seq)",
    ).all();
    return rows.map((row) => ({ number: String(row["number"]), scope: row["scope"] as Scope, count: Number(row["count"]) }));
  }

  /** Moves pending changes into webhooks, with `copies` duplicates. If `wabaId` is null, discards them. */
  form(number: string, scope: Scope, wabaId: string | null, how: { newestFirst: boolean; copies: number }): void {
    inTransaction(this.#db, () => {
      const rows = statement(
        this.#db,
        "SELECT seq, change FROM cloud_change WHERE webhook IS NULL AND number = ? AND scope = ? ORDER BY seq LIMIT ?",
      ).all(number, scope, MAX_BATCH);
      const changes = rows.map((row) => JSON.parse(String(row["change"])) as Change);
      if (how.newestFirst) changes.reverse();
      const body = wabaId === null ? null : bodyOf(wabaId, changes);
      const webhooks = body === null ? [] : Array.from({ length: how.copies }, () => this.insert(number, scope, body, "right"));
      const webhook = webhooks.at(-1) ?? 0;
      for (const row of rows) statement(this.#db, "UPDATE cloud_change SET webhook = ? WHERE seq = ?").run(webhook, Number(row["seq"]));
    });
  }

  insert(number: string, scope: Scope, body: string, sign: Webhook["sign"], state: Webhook["state"] = "waiting"): number {
    const now = Date.now();
    const { lastInsertRowid } = statement(
      this.#db,
      "INSERT INTO cloud_webhook (number, scope, body, sign, state, due_at, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
    ).run(number, scope, body, sign, state, now, now);
    this.#forget(Number(lastInsertRowid));
    return Number(lastInsertRowid);
  }

  numbersDue(now: number): string[] {
    const rows = statement(
      this.#db,
      "SELECT number FROM cloud_webhook WHERE state = 'waiting' AND due_at <= ? GROUP BY number ORDER BY MIN(due_at)",
    ).all(now);
    return rows.map((row) => String(row["number"]));
  }

  due(number: string, now: number, limit: number, except: ReadonlySet<number>): Webhook[] {
    const rows = statement(
      this.#db,
      `SELECT seq, number, scope, body, sign, state FROM cloud_webhook
         WHERE state = 'waiting' AND due_at <= ? AND number = ? ORDER BY due_at, seq LIMIT ?`,
    ).all(now, number, limit + except.size);
    return rows
      .map(webhookOf)
      .filter(({ seq }) => !except.has(seq))
      .slice(0, limit);
  }

  nextDue(now: number): number | null {
    const row = statement(this.#db, "SELECT MIN(due_at) AS due FROM cloud_webhook WHERE state = 'waiting' AND due_at > ?").get(now);
    return row?.["due"] == null ? null : Number(row["due"]);
  }

  attempted(seq: number, attempt: Attempt, next: "done" | { dueAt: number }): void {
    statement(
      this.#db,
      "INSERT INTO cloud_attempt (webhook, url, signature, at, status, error, latency_ms) VALUES (?, ?, ?, ?, ?, ?, ?)",
    ).run(seq, attempt.url, attempt.signature, attempt.at, attempt.status, attempt.error, attempt.latency_ms);
    if (next === "done") statement(this.#db, "UPDATE cloud_webhook SET state = 'done' WHERE seq = ?").run(seq);
    else statement(this.#db, "UPDATE cloud_webhook SET due_at = ? WHERE seq = ?").run(next.dueAt, seq);
  }

  attempts(seq: number): number {
    return Number(statement(this.#db, "SELECT COUNT(*) AS count FROM cloud_attempt WHERE webhook = ?").get(seq)?.["count"] ?? 0);
  }

  resend(seq: number): boolean {
    const row = statement(this.#db, "SELECT seq, number, scope, body, sign, state FROM cloud_webhook WHERE seq = ?").get(seq);
    if (!row) return false;
    const { number, scope, body, sign } = webhookOf(row);
    if (sign === "handshake") return false;
    this.insert(number, scope, body, sign);
    return true;
  }

  list(limit: number, number: string | null): WebhookView[] {
    const rows = statement(this.#db, "SELECT * FROM cloud_webhook WHERE ?1 IS NULL OR number = ?1 ORDER BY seq DESC LIMIT ?2").all(
      number,
      limit,
    );
    return rows.reverse().map((row) => ({
      id: String(row["seq"]),
      phone_number_id: String(row["number"]),
      kind: row["sign"] === "handshake" ? "handshake" : "changes",
      body: String(row["body"]),
      state: row["state"] as Webhook["state"],
      created_at: Number(row["created_at"]),
      attempts: this.#attemptsOf(Number(row["seq"])),
    }));
  }

  #attemptsOf(seq: number): Attempt[] {
    const rows = statement(
      this.#db,
      "SELECT url, signature, at, status, error, latency_ms FROM cloud_attempt WHERE webhook = ? ORDER BY seq",
    ).all(seq);
    return rows.map((row) => ({ ...row })) as unknown as Attempt[];
  }

  #forget(newest: number): void {
    this.#written += 1;
    if (this.#written % 1_000 !== 0) return;
    const last = newest - WEBHOOK_RETENTION;
    statement(this.#db, "DELETE FROM cloud_attempt WHERE webhook <= ?").run(last);
    statement(this.#db, "DELETE FROM cloud_change WHERE webhook <= ?").run(last);
    statement(this.#db, "DELETE FROM cloud_webhook WHERE seq <= ? AND state = 'done'").run(last);
  }
}

export function bodyOf(wabaId: string, changes: readonly Change[]): string {
  const entry = { id: wabaId, changes: changes.map(({ field, value }) => ({ value, field })) };
  return phpJson({ object: "whatsapp_business_account", entry: [entry] });
}

function webhookOf(row: Record<string, unknown>): Webhook {
  return { ...row, seq: Number(row["seq"]) } as unknown as Webhook;
}
