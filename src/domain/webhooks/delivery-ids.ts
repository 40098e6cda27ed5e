// Delivery ids are deterministic per event and receiver, so that a repeated event does not create a second delivery.
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes, bytesToHex } from "@noble/hashes/utils.js";

const PREFIX = "msg_";
/** The first characters identify the connection, so that a delivery can be found among all connections of an account. */
const NAME_LETTERS = 8;
const HASH_LETTERS = 24;

export class DeliveryIds {
  readonly #connection: string;
  readonly #prefix: string;

  constructor(connection: string) {
    this.#connection = connection;
    this.#prefix = prefixOf(connection);
  }

  of(queueId: number, type: string, dedupeKey: string): string {
    return this.#prefix + hash(`${this.#connection}\n${queueId}\n${type}\n${dedupeKey}`).slice(0, HASH_LETTERS);
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
