// The latest events, from which streams resume. Only the number of the newest one is stored, to detect missed events.
import type { GatewayFact } from "@gateway/domain/gateway-event.ts";

const MAX_FACTS = 100;
const MARK_CHARACTERS = 12;

export type NumberedFact = { fact: GatewayFact; number: number };
/** An event that a reader missed. The reader already has the first `skip` of the webhooks rendered from it. */
export type MissedFact = NumberedFact & { skip: number };

export class RecentFacts {
  readonly #mark: string;
  readonly #kept: NumberedFact[] = [];
  /** The number of the event before the first kept one. */
  #before: number;

  constructor(uuid: string, newest: number) {
    this.#mark = uuid.replaceAll("-", "").slice(0, MARK_CHARACTERS);
    this.#before = newest;
  }

  add(facts: readonly GatewayFact[], now: number): NumberedFact[] {
    const first = this.#firstNumber(now);
    const added = facts.map((fact, index) => ({ fact, number: first + index }));
    this.#kept.push(...added);
    const dropped = this.#kept.splice(0, this.#kept.length - MAX_FACTS);
    this.#before = dropped.at(-1)?.number ?? this.#before;
    return added;
  }

  /** The number that `add` will give to the last of the next `count` events, or 0 if there are none. */
  newestOf(count: number, now: number): number {
    return count === 0 ? 0 : this.#firstNumber(now) + count - 1;
  }

  /** The id of one of a fact's `count` rendered events. The id of the last one represents the whole fact. */
  idOf(number: number, index: number, count: number): string {
    return index === count - 1 ? this.#placeAfter(number) : `${this.#placeAfter(number)}_${index}`;
  }

  get latestId(): string {
    return this.#placeAfter(this.#newest);
  }

  /** The events after this id, or null when they are no longer known. */
  after(id: string): MissedFact[] | null {
    const [, mark, number, index] = /^evt_([0-9a-z]+)_(\d+)(?:_(\d+))?$/.exec(id) ?? [];
    if (mark !== this.#mark) return null;
    const at = this.#kept.findIndex((one) => one.number === Number(number));
    if (at === -1) return index === undefined && Number(number) === this.#before ? this.#missed(0, 0) : null;
    return index === undefined ? this.#missed(at + 1, 0) : this.#missed(at, Number(index) + 1);
  }

  #missed(from: number, skip: number): MissedFact[] {
    return this.#kept.slice(from).map((one, at) => ({ ...one, skip: at === 0 ? skip : 0 }));
  }

  get #newest(): number {
    return this.#kept.at(-1)?.number ?? this.#before;
  }

  /** Numbers follow the time, so that a connection restored from a backup does not assign a number twice. */
  #firstNumber(now: number): number {
    return Math.max(this.#newest + 1, now);
  }

  #placeAfter(number: number): string {
    return `evt_${this.#mark}_${number}`;
  }
}
