// Says once an hour of each endpoint of the account that deliveries of this connection fail there (docs/delivery.md, "Lists of a large
// account"). What could not be said is said with the next failure.
import { HOUR_MS } from "../../../src/protocol/units.ts";
import type { DeliveryHost } from "./host.ts";
import type { Endpoint } from "./endpoints.ts";

export class FailingEndpoints {
  readonly #notify: DeliveryHost["notifyFailing"];
  /** The hour in which it was last said, by endpoint. */
  readonly #notifiedIn = new Map<string, number>();

  constructor(notify: DeliveryHost["notifyFailing"]) {
    this.#notify = notify;
  }

  add({ id, style }: Endpoint, now: number): void {
    const hour = Math.floor(now / HOUR_MS);
    if (style !== "account" || this.#notifiedIn.get(id) === hour) return;
    this.#notifiedIn.set(id, hour);
    void this.#notify(id).catch(() => this.#notifiedIn.delete(id));
  }
}
