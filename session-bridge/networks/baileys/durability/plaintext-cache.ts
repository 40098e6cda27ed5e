// Plaintexts of decrypted messages. A ratchet decrypts each ciphertext once, so redelivered ones are read from here.
import { createHash } from "node:crypto";
import { unpooled } from "#root/store/row-codec.ts";
import { boundedCache } from "../session/per-session.ts";
import type { Rows } from "../session/session-context.ts";

const PLAINTEXT_CACHE_SIZE = 200;
const MAX_CACHED_BYTES = 16_384;

export class PlaintextCache {
  readonly #rows: Pick<Rows, "fetchCold">;
  readonly #recent = boundedCache<string, Buffer>(PLAINTEXT_CACHE_SIZE);

  constructor(rows: Pick<Rows, "fetchCold">) {
    this.#rows = rows;
  }

  idOf(ciphertext: Uint8Array): string {
    return createHash("sha256").update(ciphertext).digest("base64url");
  }

  get(id: string): Buffer | undefined {
    return this.#recent.get(id);
  }

  add(id: string, plaintext: Buffer): void {
    if (plaintext.length <= MAX_CACHED_BYTES) this.#recent.set(id, unpooled(plaintext));
  }

  async fetchStored(id: string): Promise<Buffer | undefined> {
    const name = `plain|${id}`;
    const row = (await this.#rows.fetchCold([name])).get(name);
    return Buffer.isBuffer(row) ? row : undefined;
  }
}
