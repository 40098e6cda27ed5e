// Says once an hour of each endpoint of the account that deliveries of this connection fail there (docs/internals/delivery.md, "Lists in a large account"). What could not be said is said with the next failure.
import { HOUR_MS } from "@gateway/protocol/units.ts";
import type { DeliveryHost } from "./host.ts";
import type { Endpoint } from "./endpoints.ts";

export class FailingEndpoints {
  readonly #sql: SqlStorage;
  readonly #notify: DeliveryHost["notifyFailing"];

  constructor({ sql, notifyFailing }: Pick<DeliveryHost, "sql" | "notifyFailing">) {
    this.#sql = sql;
    this.#notify = notifyFailing;
  }

  add({ id, lane, style }: Endpoint, now: number): void {
    if (style !== "account" || !this.#claim(lane, Math.floor(now / HOUR_MS))) return;
    void this.#notify(id).catch(() => this.#sql.exec("UPDATE endpoint SET notified_hour = NULL WHERE lane = ?", lane));
  }

  /** False: it was said in this hour. */
  #claim(lane: number, hour: number): boolean {
    const claimed = "UPDATE endpoint SET notified_hour = ?2 WHERE lane = ?1 AND notified_hour IS NOT ?2";
    return this.#sql.exec(claimed, lane, hour).rowsWritten > 0;
  }
}
