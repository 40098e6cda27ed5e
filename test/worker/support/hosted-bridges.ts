// BridgeContainer and BridgePool on a container runtime controlled by tests.
import { BridgeContainer } from "#root/durable-objects/bridge-container.ts";
import { BridgePool } from "#root/durable-objects/bridge-pool/bridge-pool.ts";
import { PRODUCTION } from "#root/durable-objects/shared/deployment.ts";
import type { Env } from "#root/src/env.ts";
import { ContainerRuntime } from "./container-runtime.ts";

export class HostedBridge extends BridgeContainer {
  readonly runtime: ContainerRuntime;
  keepCalls = 0;

  constructor(ctx: DurableObjectState<Record<string, never>>, env: Env) {
    const runtime = new ContainerRuntime();
    Object.defineProperty(ctx, "container", { value: runtime });
    super(ctx, env);
    this.runtime = runtime;
  }

  /** The start neither completes nor fails. */
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
