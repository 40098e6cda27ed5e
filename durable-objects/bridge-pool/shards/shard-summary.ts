// Reports a shard's capacity to D1 (docs/operate/bridges.md, "Pool shards"). The default pool reports nothing.
import { isShard } from "@gateway/domain/fleet/shards.ts";
import type { Env } from "#root/src/env.ts";
import { errorFields, log } from "#root/src/log.ts";
import { writeShard } from "#root/src/services/bridges/homes.ts";
import type { Pool } from "../pool.ts";

const AGAIN_MS = 50_000;

export class ShardSummary {
  readonly #name: string;
  readonly #env: Env;
  readonly #pool: Pool;
  #writtenAt = 0;
  #hadBridges = false;

  constructor(name: string, env: Env, pool: Pool) {
    this.#name = name;
    this.#env = env;
    this.#pool = pool;
  }

  /** Writes at most once a minute, but immediately when the first bridge joins or the last one leaves. */
  async write(now: number): Promise<void> {
    if (!isShard(this.#name)) return;
    const bridges = this.#pool.bridges.usable().length;
    if (now - this.#writtenAt < AGAIN_MS && bridges > 0 === this.#hadBridges) return;
    this.#writtenAt = now;
    this.#hadBridges = bridges > 0;
    const isWritten = await writeShard(this.#env.DB, this.#name, bridges, this.#pool.slotsBeside(""), now).catch((error: unknown) => {
      log("pool.shard_not_written", { pool: this.#name, ...errorFields(error) });
      return false;
    });
    if (!isWritten) this.#writtenAt = 0;
  }
}
