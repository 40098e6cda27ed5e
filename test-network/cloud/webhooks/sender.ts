// Delivers webhooks: eight at a time, and each again after 1, 2, 4, … 60 seconds until it is answered by 200.
import type { CloudFaults } from "../faults.ts";
import { postWebhook } from "./post.ts";
import type { Destination, Scope, Webhook, WebhookQueue } from "./queue.ts";

const CONCURRENCY = 8;
const FIRST_REPEAT_MS = 1_000;
const LAST_REPEAT_MS = 60_000;

export class WebhookSender {
  readonly #queue: WebhookQueue;
  readonly #faults: CloudFaults;
  readonly #destination: (number: string, scope: Scope) => Destination | null;
  readonly #inFlight = new Set<number>();
  #scheduled: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #closing = new AbortController();

  constructor(queue: WebhookQueue, faults: CloudFaults, destination: (number: string, scope: Scope) => Destination | null) {
    this.#queue = queue;
    this.#faults = faults;
    this.#destination = destination;
  }

  /** Something new waits. Changes of one turn of the event loop go out together. */
  wake(): void {
    if (!this.#closing.signal.aborted) this.#scheduled ??= setImmediate(() => this.#pump());
  }

  close(): void {
    this.#closing.abort();
    clearImmediate(this.#scheduled);
    clearTimeout(this.#timer);
  }

  #pump(): void {
    this.#scheduled = undefined;
    clearTimeout(this.#timer);
    const now = Date.now();
    if (this.#inFlight.size < CONCURRENCY) this.#form();
    const free = CONCURRENCY - this.#inFlight.size;
    // Those of a number that is held are skipped, not counted.
    const due = this.#queue.due(now, free + 1_000, this.#inFlight).filter(({ number }) => !this.#faults.holds(number));
    for (const webhook of due.slice(0, free)) void this.#deliver(webhook);
    const next = this.#queue.nextDue(now);
    if (next !== null) this.#timer = setTimeout(() => this.wake(), Math.max(0, next - now)).unref();
  }

  #form(): void {
    for (const { number, scope, count } of this.#queue.waitingChanges()) {
      if (this.#faults.holds(number)) continue;
      const reverse = this.#faults.waiting(number, "reverse");
      if (reverse && count < reverse.left) continue;
      if (reverse) for (let left = reverse.left; left > 0; left--) this.#faults.strike(number, "reverse");
      const destination = this.#destination(number, scope);
      const duplicate = destination && this.#faults.strike(number, "duplicate");
      const copies = duplicate ? 1 + (duplicate.copies ?? 1) : 1;
      this.#queue.form(number, scope, destination?.wabaId ?? null, { newestFirst: reverse !== undefined, copies });
    }
  }

  async #deliver(webhook: Webhook): Promise<void> {
    const { seq, number, scope, body } = webhook;
    this.#inFlight.add(seq);
    const destination = this.#destination(number, scope);
    const sign = this.#faults.strike(number, "bad_signature") ? "wrong" : webhook.sign === "handshake" ? "none" : webhook.sign;
    const attempt = await postWebhook(destination, body, sign, this.#closing.signal);
    if (this.#closing.signal.aborted) return;
    this.#inFlight.delete(seq);
    const repeatMs = Math.min(FIRST_REPEAT_MS * 2 ** this.#queue.attempts(seq), LAST_REPEAT_MS);
    this.#queue.attempted(seq, attempt, attempt.status === 200 ? "done" : { dueAt: Date.now() + repeatMs });
    this.wake();
  }
}
