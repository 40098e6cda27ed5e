// The simulated day's traffic: messages to numbers, sends by numbers, group messages, status posts, pictures, reads.
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Ledger } from "./ledger.ts";
import { WRITERS, type SoakedWorld } from "./soaked-world.ts";

/** Each kind's share of the messages that are reported and acknowledged. */
const SHARES = { direct: 0.6, send: 0.12, group: 0.2, status: 0.08 };
const TICK_MS = 50;
/** Maximum time for the bridge to accept a send, including a kill and a restart. */
const TAKEN_WITHIN_MS = 60_000;
const PICTURE_EVERY = 40;
const READ_EVERY = 15;
const GROUP_SEND_EVERY = 600;
const PICTURE = Buffer.alloc(12_000, "picture").toString("base64");
const UNSURE = "network error";

/** Send traffic, including outcomes the ledger doesn't record. */
export type Done = { phoneSends: number; unsure: number; sends: { id: string; number: number; to: string }[] };

type KindOfTraffic = { act: () => Promise<void>; perMs: number; concurrency: number; debt: number; underWay: number };

export class Traffic {
  readonly #world: SoakedWorld;
  readonly #ledger: Ledger;
  readonly done: Done = { phoneSends: 0, unsure: 0, sends: [] };
  #serial = 0;
  /** True while all traffic is paused. */
  #paused = false;
  readonly #kinds: KindOfTraffic[];

  /** `total`: messages to be reported and acknowledged in `ms`. */
  constructor(world: SoakedWorld, ledger: Ledger, total: number, ms: number) {
    this.#world = world;
    this.#ledger = ledger;
    const { numbers, contacts } = world;
    const perMs = (share: number, each: number) => (total * share) / each / ms;
    const audience = (numbers.length * 4) / contacts.length;
    const none = { debt: 0, underWay: 0 };
    this.#kinds = [
      { act: () => this.#toNumber(), perMs: perMs(SHARES.direct, 1), concurrency: 24, ...none },
      { act: () => this.#fromNumber(), perMs: perMs(SHARES.send, 1), concurrency: 12, ...none },
      { act: () => this.#inGroup(), perMs: perMs(SHARES.group, numbers.length), concurrency: 2, ...none },
      { act: () => this.#status(), perMs: perMs(SHARES.status, audience), concurrency: 4, ...none },
    ];
  }

  /** Runs until `over`, then finishes late work. */
  async run(over: () => boolean): Promise<void> {
    let last = performance.now();
    while (!over()) {
      await pause(TICK_MS);
      const now = performance.now();
      if (!this.#paused) for (const kind of this.#kinds) this.#catchUp(kind, now - last);
      last = now;
    }
    await this.rest();
  }

  /** Pauses traffic until `resume`; resolves once nothing is in flight. */
  async rest(): Promise<void> {
    this.#paused = true;
    while (this.#kinds.some(({ underWay }) => underWay > 0)) await pause(TICK_MS);
  }

  resume(): void {
    this.#paused = false;
  }

  #catchUp(kind: KindOfTraffic, ms: number): void {
    kind.debt += kind.perMs * ms;
    for (; kind.debt >= 1 && kind.underWay < kind.concurrency; kind.debt -= 1) {
      kind.underWay += 1;
      void kind.act().finally(() => (kind.underWay -= 1));
    }
  }

  async #toNumber(): Promise<void> {
    const serial = this.#next();
    const number = serial % this.#world.numbers.length;
    const contact = pick(this.#world.contactsOf(number), Math.floor(serial / this.#world.numbers.length));
    const to = this.#world.numbers[number]!;
    const picture = serial % PICTURE_EVERY === 0;
    const body = picture
      ? { to, type: "image", media: { base64: PICTURE, mimetype: "image/jpeg" }, caption: `m${serial}` }
      : { to, text: `m${serial}` };
    const id = await this.#phoneSends(contact, body);
    if (id !== UNSURE) this.#ledger.expect(id, "direct", [number]);
    if (serial % READ_EVERY === 0) await this.#call(`/phones/${contact}/read`, { chat_id: to });
  }

  async #fromNumber(): Promise<void> {
    const serial = this.#next();
    const number = (serial * 7) % this.#world.numbers.length;
    if (serial % GROUP_SEND_EVERY === 0) return this.#send(serial % 4, this.#world.group);
    return this.#send(number, `${pick(this.#world.contactsOf(number), serial)}@c.us`);
  }

  async #send(number: number, chatId: string): Promise<void> {
    const message_id = `3EB0${randomUUID().replaceAll("-", "").slice(0, 18).toUpperCase()}`;
    const asking = this.#world.connections[number]!.command("send", {
      message_id,
      chat_id: chatId,
      content: { kind: "text", text: `s${this.#serial}`, preview: null },
      quoted: null,
      mentions: [],
      mention_all: false,
      typing_ms: 0,
      status: null,
    });
    const asked = await Promise.race([asking, pause(TAKEN_WITHIN_MS, { ok: true })]);
    if (asked.ok) this.done.sends.push({ id: message_id, number, to: chatId });
  }

  async #inGroup(): Promise<void> {
    const from = pick(this.#world.contacts, this.#next() % WRITERS);
    const id = await this.#phoneSends(from, { chat_id: this.#world.group, text: `g${this.#serial}` });
    if (id !== UNSURE) this.#ledger.expect(id, "group", [...this.#world.numbers.keys()]);
  }

  async #status(): Promise<void> {
    const from = pick(this.#world.contacts, this.#next());
    const viewers = this.#world.numbersOf(from);
    const audience = viewers.map((number) => this.#world.numbers[number]!);
    const id = await this.#phoneSends(from, { chat_id: "status@broadcast", text: `p${this.#serial}`, audience });
    if (id !== UNSURE) this.#ledger.expect(id, "status", viewers);
  }

  async #phoneSends(phone: string, body: object): Promise<string> {
    this.done.phoneSends += 1;
    const answer = await this.#call<{ message_id: string }>(`/phones/${phone}/send`, body);
    if (answer === null) this.done.unsure += 1;
    return answer?.message_id ?? UNSURE;
  }

  /** Null if the network was killed during the call, so that the outcome is unknown. */
  async #call<T>(path: string, body: object): Promise<T | null> {
    return this.#world.network.call<T>("POST", path, body).catch(() => null);
  }

  #next(): number {
    this.#serial += 1;
    return this.#serial;
  }
}

function pick<T>(items: readonly T[], n: number): T {
  return items[n % items.length]!;
}
