import type { BinaryNode } from "baileys";
import { encodeStanza } from "../encode-stanza.ts";

export type DeviceLink = {
  /** False until the device is ready for messages, which stay queued until then. */
  readonly active: boolean;
  /** `encoded` is the same stanza in wire form, if already available. */
  send(stanza: BinaryNode, encoded?: Uint8Array): void;
  end(lastStanza?: BinaryNode): void;
  /** Drops the connection without a stanza. Absent without a socket. */
  drop?(): void;
  /** Keeps the connection open without reading or writing. Absent without a socket. */
  freeze?(): void;
};

export type Queued = {
  readonly seq: number;
  readonly stanza: BinaryNode;
  encoded: Uint8Array | undefined;
  sentOn: DeviceLink | undefined;
  /** True once the stanza was acked with an error. On a strict network it then stays queued and blocks later stanzas. */
  refused: boolean;
};

/** Attributes that match an ack or receipt to its stanza. Undefined attributes are not compared. */
export type Settlement = {
  id: string;
  from?: string | undefined;
  participant?: string | undefined;
  type?: string | undefined;
};

export class DeviceQueue {
  readonly #entries = new Map<number, Queued>();
  readonly #byName = new Map<string, Queued[]>();
  readonly #refused = new Set<Queued>();

  get size(): number {
    return this.#entries.size;
  }

  get firstRefused(): Queued | undefined {
    return this.#refused.values().next().value;
  }

  entries(): IterableIterator<Queued> {
    return this.#entries.values();
  }

  add(seq: number, stanza: BinaryNode, { encoded, refused = false }: { encoded?: Uint8Array; refused?: boolean } = {}): Queued {
    const queued: Queued = { seq, stanza, encoded, sentOn: undefined, refused };
    this.#entries.set(seq, queued);
    if (refused) this.#refused.add(queued);
    const name = nameOf(stanza.tag, stanza.attrs["id"] ?? "");
    const same = this.#byName.get(name);
    if (same) same.push(queued);
    else this.#byName.set(name, [queued]);
    return queued;
  }

  /** Removes one copy per settlement, because a message resent under the same id is acked twice. */
  settle(tag: string, settlement: Settlement): Queued | undefined {
    const name = nameOf(tag, settlement.id);
    const same = this.#byName.get(name);
    if (!same) return undefined;
    const found = Math.max(
      0,
      same.findIndex((one) => matches(one.stanza, settlement)),
    );
    const [settled] = same.splice(found, 1);
    if (same.length === 0) this.#byName.delete(name);
    if (settled) {
      this.#entries.delete(settled.seq);
      this.#refused.delete(settled);
    }
    return settled;
  }

  refuse(tag: string, settlement: Settlement): Queued | undefined {
    const same = this.#byName.get(nameOf(tag, settlement.id)) ?? [];
    const found = same.find((one) => !one.refused && matches(one.stanza, settlement)) ?? same.find((one) => !one.refused);
    if (!found) return undefined;
    found.refused = true;
    this.#refused.add(found);
    return found;
  }

  refusedCopies(tag: string, id: string): number {
    return (this.#byName.get(nameOf(tag, id)) ?? []).filter(({ refused }) => refused).length;
  }
}

export function encodedForm(queued: Queued): Uint8Array {
  return (queued.encoded ??= encodeStanza(queued.stanza));
}

function nameOf(tag: string, id: string): string {
  return `${tag}|${id}`;
}

function matches({ attrs }: BinaryNode, { from, participant, type }: Settlement): boolean {
  return (
    (from === undefined || attrs["from"] === from) &&
    (participant === undefined || attrs["participant"] === participant) &&
    (type === undefined || attrs["type"] === type)
  );
}
