// One-time session socket tickets. Only their hashes are stored, and a ticket is bound to one bridge.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

export type UnusedTicket = { hash: string; generation: number };

export class Tickets {
  readonly #sql: SqlStorage;
  readonly #random: (bytes: number) => Uint8Array;
  readonly #mark: (random: string) => string;

  constructor(sql: SqlStorage, random: (bytes: number) => Uint8Array, mark: (random: string) => string) {
    this.#sql = sql;
    this.#random = random;
    this.#mark = mark;
  }

  issue(generation: number): string {
    const ticket = this.#mark(bytesToHex(this.#random(32)));
    this.#sql.exec("DELETE FROM ticket WHERE generation < ?", generation);
    this.#sql.exec("INSERT INTO ticket (hash, generation) VALUES (?, ?)", hashOf(ticket), generation);
    return ticket;
  }

  find(ticket: string): UnusedTicket | null {
    return this.#sql.exec<UnusedTicket>("SELECT hash, generation FROM ticket WHERE hash = ?", hashOf(ticket)).toArray()[0] ?? null;
  }

  /** Consumes the ticket. Returns false if another socket has already consumed it. */
  redeem(hash: string): boolean {
    return this.#sql.exec("DELETE FROM ticket WHERE hash = ? RETURNING hash", hash).toArray().length > 0;
  }
}

function hashOf(ticket: string): string {
  return bytesToHex(sha256(utf8ToBytes(ticket)));
}
