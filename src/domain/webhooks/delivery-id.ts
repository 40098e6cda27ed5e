// Delivery ids are deterministic per event and receiver, so that a repeated event creates no second delivery.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

const PREFIX = "msg_";
/** The first letters identify the connection, so that a delivery can be found among all connections of an account. */
const NAME_LETTERS = 8;
const NEWS_LETTERS = 24;

export class DeliveryIds {
  readonly #connection: string;
  readonly #prefix: string;

  constructor(connection: string) {
    this.#connection = connection;
    this.#prefix = prefixOf(connection);
  }

  /** `lane`: the receiver's queue; `once`: the event's dedupe key. */
  of(lane: number, type: string, once: string): string {
    return this.#prefix + hash(`${this.#connection}\n${lane}\n${type}\n${once}`).slice(0, NEWS_LETTERS);
  }
}

export function couldBeDeliveryOf(connection: string, id: string): boolean {
  return id.startsWith(prefixOf(connection));
}

function prefixOf(connection: string): string {
  return PREFIX + hash(`connection\n${connection}`).slice(0, NAME_LETTERS);
}

function hash(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}
