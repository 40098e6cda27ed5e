// Reads of rows that are not kept in memory, asked of the Connection object over the session socket.
import type { FromBridge } from "../../src/protocol/session-socket.ts";
import type { Mirror } from "./write-behind-cache.ts";

const KEYS_A_FRAME = 100;

type Asked = { keys: string[]; resolve: (rows: readonly (readonly [string, string])[]) => void; reject: (error: Error) => void };

export class ColdRows {
  readonly #mirror: Mirror;
  readonly #send: (frame: FromBridge) => void;
  readonly #asked = new Map<number, Asked>();
  #lastId = 0;

  constructor(mirror: Mirror, send: (frame: FromBridge) => void) {
    this.#mirror = mirror;
    this.#send = send;
  }

  async fetch(names: readonly string[]): Promise<Map<string, Buffer | string>> {
    const found = new Map<string, Buffer | string>();
    const unknown: string[] = [];
    for (const name of names) {
      const value = this.#mirror.unconfirmed(name);
      if (value === undefined) unknown.push(name);
      else if (isText(value)) found.set(name, value);
    }
    for (let at = 0; at < unknown.length; at += KEYS_A_FRAME) {
      for (const [name, sealed] of await this.#ask(unknown.slice(at, at + KEYS_A_FRAME))) {
        const value = this.#mirror.open(name, sealed);
        if (isText(value)) found.set(name, value);
      }
    }
    return found;
  }

  answered(id: number, rows: readonly (readonly [string, string])[]): void {
    this.#asked.get(id)?.resolve(rows);
    this.#asked.delete(id);
  }

  /** After a redial: answers of the old socket will not come. */
  askAgain(): void {
    for (const [id, { keys }] of this.#asked) this.#send({ type: "fetch", id, keys });
  }

  giveUp(): void {
    for (const { reject } of this.#asked.values()) reject(new Error("the session was given up"));
    this.#asked.clear();
  }

  #ask(keys: string[]): Promise<readonly (readonly [string, string])[]> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { keys, resolve, reject });
      this.#send({ type: "fetch", id, keys });
    });
  }
}

function isText(value: unknown): value is Buffer | string {
  return Buffer.isBuffer(value) || typeof value === "string";
}
