import { encodeBinaryNode, type BinaryNode } from "baileys";
import type { DeviceLink } from "./device-link.ts";

/** A stanza that stays until the device has acked it. */
export interface Queued {
  readonly seq: number;
  readonly stanza: BinaryNode;
  /** The wire form, made at most once. */
  encoded: Uint8Array | undefined;
  /** The link it was last written to. */
  sentOn: DeviceLink | undefined;
}

/** What an ack or receipt says about the stanza it settles; what it leaves out is not compared. */
export interface Settlement {
  id: string;
  from?: string | undefined;
  participant?: string | undefined;
  type?: string | undefined;
}

export class DeviceQueue {
  readonly #entries = new Map<number, Queued>();
  readonly #byName = new Map<string, Queued[]>();

  get size(): number {
    return this.#entries.size;
  }

  /** Oldest first. What is added while somebody iterates is visited too. */
  entries(): IterableIterator<Queued> {
    return this.#entries.values();
  }

  add(seq: number, stanza: BinaryNode, encoded?: Uint8Array): Queued {
    const queued: Queued = { seq, stanza, encoded, sentOn: undefined };
    this.#entries.set(seq, queued);
    const name = nameOf(stanza.tag, stanza.attrs["id"] ?? "");
    const same = this.#byName.get(name);
    if (same) same.push(queued);
    else this.#byName.set(name, [queued]);
    return queued;
  }

  /**
   * Takes the oldest stanza that the settlement can mean. One settles one: a message that was sent twice under one id
   * (a resend after a retry receipt) is acked twice, and the second copy must not vanish with the first one's ack.
   */
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
    if (settled) this.#entries.delete(settled.seq);
    return settled;
  }
}

/** The wire form of a queued stanza. */
export function encodedForm(queued: Queued): Uint8Array {
  return (queued.encoded ??= encodeBinaryNode(queued.stanza));
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
