// Records sends, the gateway's reports, and why connections closed. Finds everything that was lost, duplicated, stopped or not explained.
import type { FakeConnection } from "../../test/support/bridge/fake-gateway.ts";

export type Kind = "direct" | "group" | "status";
/** Why connections closed during a period. `number` is the affected number; null means all of them. */
export type Cause = { what: string; number: number | null; from: number; to: number; codes: readonly number[] };
type Expected = { id: string; kind: Kind; numbers: readonly number[] };
export type Close = { number: number; code: number; at: number };

export class Ledger {
  readonly #connections: readonly FakeConnection[];
  readonly #expected: Expected[] = [];
  /** How often each message was reported, by number. */
  readonly #told: Map<string, number>[];
  /** Messages that could not be decrypted and were never sent again. */
  readonly #standIns: Set<string>[];
  readonly #read: { events: number }[];
  readonly settled = new Map<string, string>();
  readonly closes: Close[] = [];
  readonly stopped: string[] = [];
  readonly causes: Cause[] = [];
  opens = 0;
  /** Number of times the network has closed a connection to end a linking step. */
  linked = 0;
  reportedMessages = 0;

  constructor(connections: readonly FakeConnection[]) {
    this.#connections = connections;
    this.#told = connections.map(() => new Map());
    this.#standIns = connections.map(() => new Set());
    this.#read = connections.map(() => ({ events: 0 }));
  }

  expect(id: string, kind: Kind, numbers: readonly number[]): void {
    this.#expected.push({ id, kind, numbers });
  }

  /** Collects the connections' reports since the last call. */
  read(): void {
    for (const [number, connection] of this.#connections.entries()) {
      const place = this.#read[number]!;
      for (; place.events < connection.events.length; place.events += 1) {
        const event = connection.events[place.events]!;
        if (event.type === "message.upsert" && event.message.type === "undecrypted") this.#standIns[number]!.add(event.message.message_id);
        else if (event.type === "message.upsert") this.#count(number, event.message.message_id);
        else if (event.type === "send.settled") this.settled.set(event.message_id, event.outcome.kind);
        else if (event.type === "session.open") this.opens += 1;
        else if (event.type === "session.closed" && event.reason === "restart_required") this.linked += 1;
        else if (event.type === "session.closed") this.closes.push({ number, code: event.code, at: Date.now() });
        else if (event.type === "session.gave_up") this.stopped.push(`${number}: ${event.reason}`);
      }
    }
  }

  /** Repeated reports under the same key, which the gateway detects. */
  get repeated(): number {
    return this.#connections.reduce((sum, { reported, events }) => sum + reported.length - events.length, 0);
  }

  get awaited(): number {
    return this.#expected.reduce((sum, { numbers }) => sum + numbers.length, 0);
  }

  lost(): { kind: Kind; id: string; number: number }[] {
    return this.#expected.flatMap(({ id, kind, numbers }) =>
      numbers.filter((number) => !this.#told[number]!.has(id) && !this.#standIns[number]!.has(id)).map((number) => ({ kind, id, number })),
    );
  }

  /** Messages reported only as a placeholder, because they were never sent again. */
  unread(): string[] {
    return this.#standIns.flatMap((ids, number) => [...ids].filter((id) => !this.#told[number]!.has(id)).map((id) => `${number}: ${id}`));
  }

  doubled(): string[] {
    return this.#told.flatMap((told, number) => [...told].flatMap(([id, times]) => (times > 1 ? [`${number}: ${id}`] : [])));
  }

  /** The number of closes by cause, and the unexplained closes. */
  explained(): { byCause: Map<string, number>; unexplained: Close[] } {
    const byCause = new Map<string, number>();
    const unexplained: Close[] = [];
    for (const close of this.closes) {
      const cause = this.causes.find(
        ({ number, from, to, codes }) =>
          (number === null || number === close.number) && close.at >= from && close.at <= to && codes.includes(close.code),
      );
      if (cause === undefined) unexplained.push(close);
      else byCause.set(cause.what, (byCause.get(cause.what) ?? 0) + 1);
    }
    return { byCause, unexplained };
  }

  #count(number: number, id: string): void {
    this.reportedMessages += 1;
    const told = this.#told[number]!;
    told.set(id, (told.get(id) ?? 0) + 1);
  }
}
