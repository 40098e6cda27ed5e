// Reads cold rows, which the session does not keep in memory, from the object.
import type { FromBridge } from "@gateway/protocol/session-socket.ts";
import type { WriteBehindCache } from "./write-behind-cache.ts";

const MAX_KEYS_PER_FRAME = 100;

type PendingFetch = { keys: string[]; resolve: (rows: readonly (readonly [string, string])[]) => void; reject: (error: Error) => void };

export class ColdRowReads {
  readonly #store: WriteBehindCache;
  readonly #send: (frame: FromBridge) => void;
  readonly #pending = new Map<number, PendingFetch>();
  #lastId = 0;

  constructor(store: WriteBehindCache, send: (frame: FromBridge) => void) {
    this.#store = store;
    this.#send = send;
  }

  get isWaiting(): boolean {
    return this.#pending.size > 0;
  }

  async fetch(names: readonly string[]): Promise<Map<string, Buffer | string>> {
    const found = new Map<string, Buffer | string>();
    const unknown: string[] = [];
    for (const name of names) {
      const value = this.#store.unconfirmed(name);
      if (value === undefined) unknown.push(name);
      else if (isText(value)) found.set(name, value);
    }
    for (let at = 0; at < unknown.length; at += MAX_KEYS_PER_FRAME) {
      for (const [name, sealed] of await this.#request(unknown.slice(at, at + MAX_KEYS_PER_FRAME))) {
        const value = this.#store.open(name, sealed);
        if (isText(value)) found.set(name, value);
      }
    }
    return found;
  }

  received(id: number, rows: readonly (readonly [string, string])[]): void {
    this.#pending.get(id)?.resolve(rows);
    this.#pending.delete(id);
  }

  /** Repeats pending requests after a reconnect, because responses on the old socket are lost. */
  resend(): void {
    for (const [id, { keys }] of this.#pending) this.#send({ type: "fetch", id, keys });
  }

  rejectAll(): void {
    for (const { reject } of this.#pending.values()) reject(new Error("the session has ended"));
    this.#pending.clear();
  }

  #request(keys: string[]): Promise<readonly (readonly [string, string])[]> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { keys, resolve, reject });
      this.#send({ type: "fetch", id, keys });
    });
  }
}

function isText(value: unknown): value is Buffer | string {
  return Buffer.isBuffer(value) || typeof value === "string";
}
