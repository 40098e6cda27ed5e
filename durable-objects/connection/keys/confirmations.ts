// Changes requested by an assistant whose client has no forms. They wait until a person decides (docs/use/mcp.md, "Policy of a key").
import type { AssistantChange } from "@gateway/protocol/operations/assistant.ts";
import type { ChatId } from "@gateway/protocol/ids.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";
import type { Scheduled } from "../../shared/alarm.ts";
import { countRows, readNumber } from "../../shared/read-number.ts";

/** How long a person has to decide, and how long the assistant then has to repeat its call. */
export const CONFIRMATION_MS = 10 * MINUTE_MS;
/** Maximum number of undecided changes per key. */
const MAX_WAITING = 10;

type ConfirmationRow = { key_id: string; chat_id: ChatId | null; change: string | null; accepted: number | null; expires_at: number };
type Asked = AssistantChange & { id: string };

export class Confirmations implements Scheduled {
  readonly #sql: SqlStorage;
  /** When the next change expires, or undefined if this has not been read yet. */
  #due: number | null | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  nextDue(): number | null {
    if (this.#due === undefined) this.#due = readNumber(this.#sql, "SELECT min(expires_at) FROM assistant_confirmation");
    return this.#due;
  }

  run(now: number): void {
    if ((this.nextDue() ?? Infinity) > now) return;
    this.#sql.exec("DELETE FROM assistant_confirmation WHERE expires_at <= ?", now);
    this.#due = undefined;
  }

  clockSetBack(): void {
    this.#due = undefined;
  }

  find(id: string, now: number): ConfirmationRow | null {
    this.run(now);
    const query = "SELECT key_id, chat_id, change, accepted, expires_at FROM assistant_confirmation WHERE id = ?";
    return this.#sql.exec<ConfirmationRow>(query, id).toArray()[0] ?? null;
  }

  /** Returns the decision about this change. If the change is new, stores it for a person to decide. */
  ask(keyId: string, chatId: ChatId | null, { id, ...change }: Asked, now: number): "allowed" | "declined" | "waiting" | "full" {
    const known = this.find(id, now);
    if (known !== null) return known.accepted === null ? "waiting" : known.accepted === 1 ? "allowed" : "declined";
    const waiting = countRows(this.#sql, "assistant_confirmation WHERE key_id = ? AND accepted IS NULL", keyId);
    if (waiting >= MAX_WAITING) return "full";
    const row = [id, keyId, chatId, JSON.stringify(change), now + CONFIRMATION_MS];
    this.#sql.exec("INSERT INTO assistant_confirmation (id, key_id, chat_id, change, expires_at) VALUES (?, ?, ?, ?, ?)", ...row);
    this.#due = undefined;
    return "waiting";
  }

  /** Stores the first decision only, and deletes the content of the change. */
  decide(id: string, accepted: boolean, now: number): void {
    this.run(now);
    const decided = "UPDATE assistant_confirmation SET accepted = ?, change = NULL, expires_at = ? WHERE id = ? AND accepted IS NULL";
    this.#sql.exec(decided, Number(accepted), now + CONFIRMATION_MS, id);
    this.#due = undefined;
  }
}
