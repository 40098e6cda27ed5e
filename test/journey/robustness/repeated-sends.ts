// Sends under load, repeated as a customer repeats them.
import { setTimeout as pause } from "node:timers/promises";
import { customer, type Reply } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import type { Sandbox } from "../../support/sandbox.ts";

/** Above so many without an answer the next one waits: a slow machine is loaded with what it carries. */
export const MAX_UNANSWERED = 40;
const LATER = new Set([429, 500, 502, 503, 504]);
const GIVE_UP_MS = 600_000;

export class RepeatedSends {
  readonly #sandbox: Sandbox;
  readonly #to: string;
  #unanswered = 0;
  /** Messages that an answer said were not sent; a repeated send is another message. */
  readonly refused = new Set<string>();
  /** Tries that a kill has left without an answer. */
  cutOff = 0;

  constructor(sandbox: Sandbox, to: string) {
    this.#sandbox = sandbox;
    this.#to = to;
  }

  /** Resolves when one more may be sent. */
  async turn(): Promise<void> {
    await eventually("others are answered", GIVE_UP_MS, () => this.#unanswered < MAX_UNANSWERED);
  }

  /** Sends once in the customer's sense: repeats the same idempotency key while there is no answer or the answer says "later". */
  send(text: string, key?: string): Promise<Reply> {
    this.#unanswered += 1;
    const reply = this.#untilAnswered(text, key).finally(() => (this.#unanswered -= 1));
    // Whoever needs it looks at it later.
    reply.catch(() => undefined);
    return reply;
  }

  async #untilAnswered(text: string, key?: string): Promise<Reply> {
    const deadline = performance.now() + GIVE_UP_MS;
    for (;;) {
      const reply = await customer(this.#sandbox.ready(), key)
        .text(this.#to, text, { "idempotency-key": text })
        .catch(() => null);
      if (reply !== null && !LATER.has(reply.status)) return reply;
      const message: unknown = reply?.body.error?.detalhes?.message_id;
      if (typeof message === "string") this.refused.add(message);
      if (reply === null) this.cutOff += 1;
      if (performance.now() > deadline) throw new Error(`never answered: ${text} (${JSON.stringify(reply?.body)})`);
      await pause(Math.max(150, Number(reply?.headers.get("retry-after") ?? 0) * 1_000));
    }
  }
}
