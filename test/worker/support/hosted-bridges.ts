// BridgeContainer and BridgePool with a fake platform container that records its starts and signals.
import { BridgeContainer } from "#root/durable-objects/bridge-container.ts";
import { BridgePool } from "#root/durable-objects/bridge-pool.ts";
import type { Env } from "#root/src/env.ts";

/** The part of the platform's container API that BridgeContainer uses. */
export class FakeContainer {
  running = false;
  readonly starts: ContainerStartupOptions[] = [];
  readonly signals: number[] = [];
  #ended = Promise.withResolvers<void>();

  start(options: ContainerStartupOptions): void {
    this.running = true;
    this.starts.push(options);
    this.#ended = Promise.withResolvers();
  }

  monitor(): Promise<void> {
    return this.#ended.promise;
  }

  /** As a bridge does: it drains on SIGTERM. */
  signal(signal: number): void {
    this.signals.push(signal);
    this.end();
  }

  end(): void {
    this.running = false;
    this.#ended.resolve();
  }

  getTcpPort(): { fetch(): Promise<Response> } {
    return { fetch: () => Promise.resolve(new Response("ok")) };
  }
}

export class HostedBridge extends BridgeContainer {
  readonly fake: FakeContainer;
  keepCalls = 0;

  constructor(ctx: DurableObjectState<Record<string, never>>, env: Env) {
    const fake = new FakeContainer();
    Object.defineProperty(ctx, "container", { value: fake });
    super(ctx, env);
    this.fake = fake;
  }

  override async keep(name: string, pool: string): Promise<void> {
    this.keepCalls += 1;
    await super.keep(name, pool);
  }
}

/** A pool that starts its own bridges. */
export class HostingPool extends BridgePool {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, { ...env, BRIDGE_HOST: "cloudflare" });
  }
}
