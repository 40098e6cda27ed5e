// BridgeContainer and BridgePool with a fake platform container that records its starts and signals.
import { BridgeContainer } from "#root/durable-objects/bridge-container.ts";
import { BridgePool } from "#root/durable-objects/bridge-pool.ts";
import { PRODUCTION } from "#root/durable-objects/shared/deployment.ts";
import type { Env } from "#root/src/env.ts";

/** The part of the platform's container API that BridgeContainer uses. */
export class FakeContainer {
  running = false;
  readonly starts: ContainerStartupOptions[] = [];
  readonly signals: number[] = [];
  /** What its bridge says on its health page. */
  sessions = 0;
  destroyed = 0;
  /** What a start does: the platform may refuse it. */
  onStart: () => void = () => undefined;
  #ended = Promise.withResolvers<void>();

  start(options: ContainerStartupOptions): void {
    this.onStart();
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

  destroy(): Promise<void> {
    this.destroyed += 1;
    this.end();
    return Promise.resolve();
  }

  getTcpPort(): { fetch(): Promise<Response> } {
    return { fetch: () => Promise.resolve(Response.json({ ok: true, sessions: this.sessions })) };
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

  /** It neither starts nor fails. */
  hangs = false;

  override async keep(name: string, pool: string, isConnected: boolean): Promise<{ replaced: boolean }> {
    this.keepCalls += 1;
    if (this.hangs) await new Promise(() => undefined);
    return super.keep(name, pool, isConnected);
  }
}

/** A pool that starts its own bridges. */
export class HostingPool extends BridgePool {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, { ...env, BRIDGE_HOST: "cloudflare" }, { ...PRODUCTION, containerAnswerMs: 3_000 });
  }
}
