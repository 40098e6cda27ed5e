// The latest facts, for streams of events that resume after one that their reader already has. In memory only; how many there were is
// stored, so that an object that starts again knows whether a reader has missed any.
import type { GatewayFact } from "@gateway/domain/gateway-event.ts";

/** Facts kept for whoever comes back. */
const MAX_FACTS = 100;
const MARK_CHARACTERS = 12;

/** `number` counts the facts of the connection. */
export type NumberedFact = { fact: GatewayFact; number: number };
/** A fact that the reader has not seen whole: `skip` of its events are known to them. */
export type MissedFact = NumberedFact & { skip: number };

export class RecentFacts {
  /** Part of every event id: of the connection. */
  readonly #mark: string;
  readonly #kept: GatewayFact[] = [];
  #count: number;

  /** `count`: how many facts there were before. */
  constructor(uuid: string, count: number) {
    this.#mark = uuid.replaceAll("-", "").slice(0, MARK_CHARACTERS);
    this.#count = count;
  }

  /** Called once they are stored, and before the streams are told of them. */
  add(facts: readonly GatewayFact[]): NumberedFact[] {
    return facts.map((fact) => {
      this.#count += 1;
      this.#kept.push(fact);
      if (this.#kept.length > MAX_FACTS) this.#kept.shift();
      return { fact, number: this.#count };
    });
  }

  /** The id of one of a fact's events, `count` in all. Behind the last one there is nothing more of the fact. */
  idOf(number: number, index: number, count: number): string {
    return index === count - 1 ? this.#placeAfter(number) : `${this.#placeAfter(number)}_${index}`;
  }

  /** The place behind everything there was so far. */
  get latestId(): string {
    return this.#placeAfter(this.#count);
  }

  /** What there was behind the event or the place of this id; null when that is not known any more. */
  after(id: string): MissedFact[] | null {
    const [, mark, fact, index] = /^evt_([0-9a-z]+)_(\d+)(?:_(\d+))?$/.exec(id) ?? [];
    const first = this.#count - this.#kept.length + 1;
    const number = Number(fact);
    // Behind a whole fact, the next one is enough.
    const from = index === undefined ? number + 1 : number;
    if (mark !== this.#mark || number > this.#count || from < first) return null;
    return this.#kept
      .slice(from - first)
      .map((one, at) => ({ fact: one, number: from + at, skip: index !== undefined && at === 0 ? Number(index) + 1 : 0 }));
  }

  #placeAfter(number: number): string {
    return `evt_${this.#mark}_${number}`;
  }
}
