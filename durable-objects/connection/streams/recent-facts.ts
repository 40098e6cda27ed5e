// The latest events, from which streams resume. Only their total count is stored, to detect missed events.
import type { GatewayFact } from "@gateway/domain/gateway-event.ts";

const MAX_FACTS = 100;
const MARK_CHARACTERS = 12;

export type NumberedFact = { fact: GatewayFact; number: number };
/** An event that a reader missed. The reader already has the first `skip` of the webhooks rendered from it. */
export type MissedFact = NumberedFact & { skip: number };

export class RecentFacts {
  readonly #mark: string;
  readonly #kept: GatewayFact[] = [];
  #count: number;

  constructor(uuid: string, count: number) {
    this.#mark = uuid.replaceAll("-", "").slice(0, MARK_CHARACTERS);
    this.#count = count;
  }

  add(facts: readonly GatewayFact[]): NumberedFact[] {
    return facts.map((fact) => {
      this.#count += 1;
      this.#kept.push(fact);
      if (this.#kept.length > MAX_FACTS) this.#kept.shift();
      return { fact, number: this.#count };
    });
  }

  /** The id of one of a fact's `count` rendered events. The id of the last one represents the whole fact. */
  idOf(number: number, index: number, count: number): string {
    return index === count - 1 ? this.#placeAfter(number) : `${this.#placeAfter(number)}_${index}`;
  }

  get latestId(): string {
    return this.#placeAfter(this.#count);
  }

  /** The events after this id, or null when they are no longer known. */
  after(id: string): MissedFact[] | null {
    const [, mark, fact, index] = /^evt_([0-9a-z]+)_(\d+)(?:_(\d+))?$/.exec(id) ?? [];
    const first = this.#count - this.#kept.length + 1;
    const number = Number(fact);
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
