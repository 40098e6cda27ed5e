// Starts containers where this deployment runs its own bridges.
import { takesNew } from "@gateway/domain/fleet/shards.ts";
import { type Env, settingsOf } from "../../src/env.ts";
import { errorFields, log } from "../../src/log.ts";
import { batchesOf } from "../../src/services/batches.ts";
import { containersToKeep, containerStub } from "./containers.ts";
import type { Pool } from "./pool.ts";

/** A pool calls this many containers at once, then pauses. */
const MAX_TOGETHER = 50;
const PAUSE_MS = 1_000;
/** A container called this recently may not have connected yet. */
const START_MS = 20_000;

type ContainerStartsDependencies = {
  env: Env;
  name: string;
  pool: Pool;
  kept(): void;
};

export class ContainerStarts {
  readonly #deps: ContainerStartsDependencies;
  #isStarting = false;
  #requested = false;
  readonly #calledAt = new Map<string, number>();

  constructor(deps: ContainerStartsDependencies) {
    this.#deps = deps;
  }

  /** False where bridges run elsewhere. */
  get startsBridges(): boolean {
    return settingsOf(this.#deps.env).BRIDGE_HOST === "cloudflare";
  }

  /** Called every minute for all that are needed: a container that nobody calls goes to sleep. */
  async keep(): Promise<void> {
    if (!this.startsBridges) return;
    await this.#call(this.#needed().names);
    this.#deps.kept();
  }

  /** A session is queued, or a bridge died: starts missing containers. The watchdog retries failures a minute later. */
  request(): void {
    this.#requested = true;
    if (!this.#isStarting && this.startsBridges) void this.#startRequested();
  }

  /** One round at a time: after an outage thousands of sessions queue at once. */
  async #startRequested(): Promise<void> {
    this.#isStarting = true;
    while (this.#requested) {
      this.#requested = false;
      await this.#startMissing().catch((error: unknown) => log("pool.containers_failed", errorFields(error)));
    }
    this.#isStarting = false;
  }

  async #startMissing(): Promise<void> {
    const { names, connected } = this.#needed();
    const since = performance.now() - START_MS;
    const isMissing = (name: string) => !connected.has(name) && (this.#calledAt.get(name) ?? -Infinity) < since;
    await this.#call(names.filter(isMissing));
  }

  #needed(): { names: string[]; connected: ReadonlySet<string> } {
    const { env, name, pool } = this.#deps;
    const { placed, queued } = pool.placements.counts();
    const connected = pool.bridges.all().filter(({ detachedAt }) => detachedAt === null);
    const ids = new Set(connected.map(({ id }) => id));
    // No spare container where no new connections arrive.
    if (placed + queued === 0 && !takesNew(name, settingsOf(env).POOL_SHARDS)) return { names: [], connected: ids };
    const bridges = connected.map(({ id, draining }) => ({ id, draining, sessions: pool.placements.assigned(id) }));
    return { names: containersToKeep(bridges, placed + queued, name), connected: ids };
  }

  async #call(names: readonly string[]): Promise<void> {
    const { env, name: pool } = this.#deps;
    for (const [turn, batch] of [...batchesOf(names, MAX_TOGETHER)].entries()) {
      if (turn > 0) await scheduler.wait(PAUSE_MS);
      for (const name of batch) this.#calledAt.set(name, performance.now());
      await Promise.all(batch.map((name) => containerStub(env, pool, name).keep(name, pool)));
    }
  }
}
