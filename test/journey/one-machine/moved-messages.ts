// Messages both ways that never stop while their connection moves, and the check that none is lost or doubled.
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { type Called, phones, type Reply } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import type { LocalNetwork } from "../../support/one-machine/network.ts";
import type { PairedNumber } from "../../support/one-machine/paired-number.ts";
import { RepeatedSends } from "../robustness/load/repeated-sends.ts";

const PARALLEL = 8;
const WITHIN_MS = 120_000;

/** Keeps within the limit for repeated reads. */
async function laterBy(seconds: number): Promise<false> {
  await pause(seconds * 1_000);
  return false;
}

export class MovedMessages {
  /** The gateway that the customer calls. */
  called: Called;
  readonly sends: RepeatedSends;
  readonly #phone: ReturnType<typeof phones>;
  readonly #numbers: { own: string; friend: string };
  readonly #replies = new Map<string, Reply>();
  readonly #questions: string[] = [];
  readonly #ending = new AbortController();
  readonly #load: Promise<unknown>;
  #acknowledged = 0;
  #started = 0;
  #onReply = () => undefined as void;
  /** Resolved while no move is under way. */
  #settled = Promise.resolve();

  constructor(network: LocalNetwork, numbers: { own: string; friend: string }, called: Called) {
    this.called = called;
    this.#numbers = numbers;
    this.#phone = phones(network);
    this.sends = new RepeatedSends({ ready: () => this.called }, numbers.friend);
    this.#load = Promise.all(Array.from({ length: PARALLEL }, () => this.#send()));
  }

  async #send(): Promise<void> {
    while (!this.#ending.signal.aborted) {
      const text = `order-${this.#started++}`;
      const reply = await this.sends.send(text);
      this.#replies.set(text, reply);
      if (reply.status === 200) this.#acknowledged += 1;
      this.#onReply();
      // A customer who was refused asks again once the connection has moved.
      if (reply.status !== 200) await this.#settled;
    }
  }

  acknowledgedMore(more: number): Promise<unknown> {
    const wanted = this.#acknowledged + more;
    return Promise.race([
      this.#load,
      new Promise<void>((resolve) => (this.#onReply = () => void (this.#acknowledged >= wanted && resolve()))),
    ]);
  }

  async question(when: string): Promise<void> {
    const text = `${when}-${this.#questions.length}`;
    this.#questions.push(text);
    await this.#phone.send(this.#numbers.friend, { to: this.#numbers.own, text });
  }

  async duringMove(move: () => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#settled = promise;
    await move().finally(resolve);
  }

  /** `api`: the connection's calls where it is now. Returns a line about what was sent. */
  async endAndCheck(api: PairedNumber["api"]): Promise<string> {
    this.#ending.abort();
    await this.#load;
    const inbox = await this.#phone.inbox(this.#numbers.friend);
    const copies = new Map<string, number>();
    for (const { text } of inbox) copies.set(String(text), (copies.get(String(text)) ?? 0) + 1);
    const wrong = [...this.#replies].flatMap(([text, { status }]) => {
      const found = copies.get(text) ?? 0;
      return (status === 200 ? found === 1 : status === 424 ? found <= 1 : found === 0) ? [] : [{ text, status, found }];
    });
    expect(wrong).toEqual([]);
    expect(copies.get("sent to the wrong machine")).toBeUndefined();
    expect(inbox.filter((message) => Number(message["duplicates"] ?? 0) > 0)).toEqual([]);
    let wrongTexts: string[] = [];
    await eventually("every question and order in the history, once", WITHIN_MS, async () => {
      const texts: string[] = [];
      for (let cursor = ""; ;) {
        const page = await api.get(`/chats/${this.#numbers.friend}/messages?limit=100${cursor}`);
        if (page.status === 429) return await laterBy(Number(page.headers.get("retry-after")));
        expect(page.status, JSON.stringify(page.body)).toBe(200);
        // A send that was reported as not sent stays in the history; its later attempt is another message.
        const messages = (page.body.data as { message_id: string; text: string }[]).filter(
          (one) => !this.sends.refused.has(one.message_id),
        );
        texts.push(...messages.map(({ text }) => text));
        if (page.body.next_cursor === null) break;
        cursor = `&cursor=${encodeURIComponent(page.body.next_cursor as string)}`;
      }
      const sent = [...this.#replies].filter(([, { status }]) => status === 200).map(([text]) => text);
      wrongTexts = [...this.#questions, ...sent].filter((one) => texts.filter((text) => text === one).length !== 1);
      return wrongTexts.length === 0 || (await laterBy(1));
    }).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${wrongTexts.join(", ")}`);
    });
    const withStatus = (status: number) => [...this.#replies.values()].filter((reply) => reply.status === status).length;
    const refused = this.#replies.size - withStatus(200) - withStatus(424);
    return `${withStatus(200)} acknowledged, ${withStatus(424)} uncertain, ${refused} refused, ${this.sends.cutOff} attempts cut off`;
  }
}
