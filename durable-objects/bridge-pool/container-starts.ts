// Starts, restarts and queries containers if this deployment runs its own bridges.
import { takesNew } from "@gateway/domain/fleet/shards.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { type Env, settingsOf } from "#root/src/env.ts";
import { errorFields, log } from "#root/src/log.ts";
import { batchesOf } from "#root/src/services/batches.ts";
import { inTime } from "#root/src/services/object-calls.ts";
import { type BridgeContainerStub, containersToKeep, containerStub, isContainerOf } from "./containers.ts";
import type { Pool } from "./pool.ts";

const MAX_TOGETHER = 50;
const PAUSE_MS = 1_000;
/** A container that was started this recently may not have connected yet. */
const START_MS = 20_000;
const ANSWER_MS = 30_000;

type ContainerStartsDependencies = {
  env: Env;
  name: string;
  pool: Pool;
  /** How long to wait for a container to start, so that a slow one does not block the others. */
  answerMs: number | undefined;
  /** Called when a container was restarted because its bridge did not connect. `waiting` counts the sessions that wait for capacity. */
  replaced(bridge: string, waiting: number): void;
  kept(names: readonly string[]): void;
};

export class ContainerStarts {
  readonly #deps: ContainerStartsDependencies;
  #isStarting = false;
  #requested = false;
  readonly #calledAt = new Map<string, number>();

  constructor(deps: ContainerStartsDependencies) {
    this.#deps = deps;
  }

  get startsBridges(): boolean {
    return settingsOf(this.#deps.env).BRIDGE_HOST === "cloudflare";
  }

  hosts(bridge: string): boolean {
    return this.startsBridges && isContainerOf(this.#deps.name, bridge);
  }

  /** Runs every minute and calls every needed container, because a container that receives no calls goes to sleep. */
  async keep(): Promise<void> {
    if (!this.startsBridges) return;
    const { names, connected } = this.#needed();
    await this.#call(names, connected);
    this.#deps.kept(names);
  }

  /** Starts the needed containers. Returns false if the bridges run elsewhere. The watchdog retries failures a minute later. */
  request(): boolean {
    this.#requested = this.startsBridges;
    if (!this.#isStarting && this.#requested) void this.#startRequested();
    return this.startsBridges;
  }

  /** Restarts the container and returns its number of sessions. Fails with `bridge_not_found`, `bridge_elsewhere` or `unavailable`. */
  async restart(bridge: string): Promise<Outcome<{ sessions: number }>> {
    const { name, pool } = this.#deps;
    const sessions = pool.placements.assigned(bridge);
    const restarted = await this.#inContainer(bridge, (container) => container.restart(bridge, name));
    return restarted.ok ? succeed({ sessions }) : restarted;
  }

  /** Returns the bridge's metrics page. Fails for the same reasons as `restart`. */
  metrics(bridge: string): Promise<Outcome<string>> {
    return this.#inContainer(bridge, (container) => container.metrics());
  }

  async #inContainer<T>(bridge: string, act: (container: BridgeContainerStub) => Promise<T>): Promise<Outcome<T>> {
    const { env, name, pool, answerMs = ANSWER_MS } = this.#deps;
    const isOurs = this.hosts(bridge);
    const isKnown = pool.bridges.find(bridge) !== undefined || (isOurs && this.#needed().names.includes(bridge));
    if (!isKnown) return fail("bridge_not_found");
    if (!isOurs) return fail("bridge_elsewhere");
    try {
      return succeed(await inTime(act(containerStub(env, name, bridge)), answerMs));
    } catch (error) {
      log("pool.container_failed", { bridge, ...errorFields(error) });
      return fail("unavailable");
    }
  }

  /** Runs one round at a time, because after an outage thousands of sessions queue at once. */
  async #startRequested(): Promise<void> {
    this.#isStarting = true;
    try {
      while (this.#requested) {
        this.#requested = false;
        await this.#startMissing();
      }
    } catch (error) {
      log("pool.container_failed", errorFields(error));
    } finally {
      this.#isStarting = false;
    }
  }

  async #startMissing(): Promise<void> {
    const { names, connected } = this.#needed();
    const since = performance.now() - START_MS;
    const isMissing = (name: string) => !connected.has(name) && (this.#calledAt.get(name) ?? -Infinity) < since;
    await this.#call(names.filter(isMissing), connected);
  }

  #needed(): { names: string[]; connected: ReadonlySet<string> } {
    const { env, name, pool } = this.#deps;
    const { placed, queued } = pool.placements.counts();
    const connected = pool.bridges.all().filter(({ detachedAt }) => detachedAt === null);
    const ids = new Set(connected.map(({ id }) => id));
    // A pool without new connections needs no spare container.
    if (placed + queued === 0 && !takesNew(name, settingsOf(env).POOL_SHARDS)) return { names: [], connected: ids };
    const bridges = connected.map(({ id, draining }) => ({ id, draining, sessions: pool.placements.assigned(id) }));
    return { names: containersToKeep(bridges, placed + queued, name), connected: ids };
  }

  /** Never rejects, because containers that fail are retried a minute later. */
  async #call(names: readonly string[], connected: ReadonlySet<string>): Promise<void> {
    for (const [index, batch] of [...batchesOf(names, MAX_TOGETHER)].entries()) {
      if (index > 0) await scheduler.wait(PAUSE_MS);
      for (const name of batch) this.#calledAt.set(name, performance.now());
      await Promise.all(batch.map((name) => this.#keep(name, connected.has(name))));
    }
  }

  async #keep(bridge: string, isConnected: boolean): Promise<void> {
    const { env, name: pool, answerMs = ANSWER_MS } = this.#deps;
    try {
      const { replaced } = await inTime(containerStub(env, pool, bridge).keep(bridge, pool, isConnected), answerMs);
      if (!replaced) return;
      log("pool.container_replaced", { bridge });
      this.#deps.replaced(bridge, this.#deps.pool.placements.counts().queued);
    } catch (error) {
      log("pool.container_failed", { bridge, ...errorFields(error) });
    }
  }
}
