// Sends under load, with a customer's retries.
import { setTimeout as pause } from "node:timers/promises";
import { type Called, customer, phones, type Reply } from "#root/test/support/clients.ts";
import { eventually } from "#root/test/support/eventually.ts";
import type { Sandbox } from "#root/test/support/sandbox.ts";

/** Further sends wait while this many are unanswered, so a slow machine gets only the load it can handle. */
export const MAX_UNANSWERED = 40;
const LATER = new Set([429, 500, 502, 503, 504]);
const GIVE_UP_MS = 600_000;

export class RepeatedSends {
  readonly #sandbox: { ready(): Called };
  readonly #to: string;
  #unanswered = 0;
  #deadlineAt = Number.POSITIVE_INFINITY;
  /** Messages reported as not sent; a later attempt counts as another message. */
  readonly refused = new Set<string>();
  /** Attempts left unanswered by a kill. */
  cutOff = 0;

  constructor(sandbox: { ready(): Called }, to: string) {
    this.#sandbox = sandbox;
    this.#to = to;
  }

  /** Ends all retries: unanswered sends reject. */
  giveUp(): void {
    this.#deadlineAt = 0;
  }

  /** Resolves once another send may start. */
  async turn(): Promise<void> {
    await eventually("others are answered", GIVE_UP_MS, () => this.#unanswered < MAX_UNANSWERED);
  }

  /** Sends once from the customer's view: retries with the same idempotency key while there is no response or it says "later". */
  send(text: string, key?: string): Promise<Reply> {
    this.#unanswered += 1;
    const reply = this.#untilAnswered(text, key).finally(() => (this.#unanswered -= 1));
    // Callers handle the rejection later.
    reply.catch(() => undefined);
    return reply;
  }

  async #untilAnswered(text: string, key?: string): Promise<Reply> {
    const deadline = performance.now() + GIVE_UP_MS;
    for (;;) {
      let problem = "";
      const reply = await customer(this.#sandbox.ready(), key)
        .text(this.#to, text, { "idempotency-key": text })
        .catch((error: unknown) => {
          problem = describeError(error);
          return null;
        });
      if (reply !== null && !LATER.has(reply.status)) return reply;
      const message: unknown = reply?.body.error?.detalhes?.message_id;
      if (typeof message === "string") this.refused.add(message);
      if (reply === null) this.cutOff += 1;
      if (performance.now() > Math.min(deadline, this.#deadlineAt))
        throw new Error(`never answered: ${text} (${problem || JSON.stringify(reply?.body)})`);
      await pause(Math.max(150, Number(reply?.headers.get("retry-after") ?? 0) * 1_000));
    }
  }
}

export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${describeError(error.cause)}`;
}

/** Kills this process with SIGKILL after this many sends. */
export type Kills = ReadonlyMap<number, "bridge" | "worker">;

const PER_SECOND = 20;

/** Exchanges this many messages each way between the demo number and its contact, 20 a second, while processes are killed. */
export async function sendBothWays(sandbox: Sandbox, sends: RepeatedSends, count: number, kills: Kills) {
  const { demo } = sandbox.ready();
  const contact = demo.contact!.phone;
  const startedAt = performance.now();
  let killing = Promise.resolve();
  const sending: Promise<Reply>[] = [];
  const phoneSends: Promise<Reply>[] = [];
  for (let n = 0; n < count; n += 1) {
    await pause(Math.max(0, (n * 1_000) / PER_SECOND - (performance.now() - startedAt)));
    await sends.turn();
    const part = kills.get(n);
    if (part !== undefined) killing = killing.then(() => kill(sandbox, part));
    sending.push(sends.send(`out-${n}`));
    phoneSends.push(phones(sandbox.ready()).send(contact, { to: demo.connection.phone, text: `in-${n}` }));
  }
  await killing;
  return { answers: await Promise.all(sending), fromPhone: await Promise.all(phoneSends) };
}

async function kill(sandbox: Sandbox, part: "bridge" | "worker"): Promise<void> {
  const pid = sandbox.ready().processes[part];
  process.kill(pid, "SIGKILL");
  await eventually(`the ${part} was started again`, 60_000, () => sandbox.ready().processes[part] !== pid);
}
