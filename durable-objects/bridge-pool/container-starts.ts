// Starts the containers that a deployment with bridges of its own needs.
import { type Env, settingsOf } from "../../src/env.ts";
import { errorFields, log } from "../../src/log.ts";
import { containersToKeep, containerStub } from "./containers.ts";
import type { Pool } from "./pool.ts";

type ContainerStartsDependencies = {
  env: Env;
  pool: Pool;
  /** Containers run; called after each round. */
  kept(): void;
};

export class ContainerStarts {
  readonly #deps: ContainerStartsDependencies;
  #isStarting = false;
  /** Another round has to run. */
  #requested = false;

  constructor(deps: ContainerStartsDependencies) {
    this.#deps = deps;
  }

  /** False where bridges run elsewhere. */
  get startsBridges(): boolean {
    return settingsOf(this.#deps.env).BRIDGE_HOST === "cloudflare";
  }

  async keep(): Promise<void> {
    if (!this.startsBridges) return;
    const { bridges, placements } = this.#deps.pool;
    const { placed, queued } = placements.counts();
    const connected = bridges.all().filter(({ detachedAt }) => detachedAt === null);
    const names = containersToKeep(
      connected.map(({ id, draining }) => ({ id, draining, sessions: placements.assigned(id) })),
      placed + queued,
    );
    await Promise.all(names.map((name) => containerStub(this.#deps.env, name).keep(name)));
    this.#deps.kept();
  }

  /** A session waits, or a bridge has died: starts containers now. What fails here is retried by the watchdog's next minute. */
  request(): void {
    this.#requested = true;
    if (!this.#isStarting) void this.#startRequested();
  }

  /** One round at a time: after an outage thousands of sessions queue at once, and each round calls every container. */
  async #startRequested(): Promise<void> {
    this.#isStarting = true;
    while (this.#requested) {
      this.#requested = false;
      await this.keep().catch((error: unknown) => log("pool.containers_failed", errorFields(error)));
    }
    this.#isStarting = false;
  }
}
