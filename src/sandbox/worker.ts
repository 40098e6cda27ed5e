import { AccountGuard as ProductionAccountGuard } from "../../durable-objects/account-guard/account-guard.ts";
import { BridgePool as ProductionBridgePool } from "../../durable-objects/bridge-pool/bridge-pool.ts";
import { Connection as ProductionConnection } from "../../durable-objects/connection/connection.ts";
import { createApp } from "../app.ts";
import type { Env } from "../env.ts";
import { runWatchdog } from "../services/watchdog/watch.ts";
import { batchLines } from "./batched-lines.ts";
import { isLoopback, sandboxDeployment, sandboxEnv } from "./sandbox-env.ts";
import { sandboxRoutes } from "./routes.ts";
import { countRows } from "./storage-counts.ts";

export { AddressGuard } from "../../durable-objects/address-guard.ts";
export {
  BridgeContainer,
  BridgeContainerApac,
  BridgeContainerEeur,
  BridgeContainerEnam,
  BridgeContainerSam,
  BridgeContainerWeur,
  BridgeContainerWnam,
} from "../../durable-objects/bridge-container.ts";

export class Connection extends ProductionConnection {
  constructor(ctx: DurableObjectState, env: Env) {
    countRows("connections", ctx);
    super(ctx, sandboxEnv(env), sandboxDeployment(env));
  }
}

export class BridgePool extends ProductionBridgePool {
  constructor(ctx: DurableObjectState, env: Env) {
    countRows("pool", ctx);
    super(ctx, sandboxEnv(env), sandboxDeployment(env));
  }
}

export class AccountGuard extends ProductionAccountGuard {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, sandboxEnv(env), sandboxDeployment(env));
  }
}

const app = createApp({
  plainHttpAllowed: isLoopback,
  writeLine: batchLines((lines) => console.log(lines)),
  allowsLoopback: (env) => sandboxDeployment(env).loopbackReceivers,
  extend: (routes) => routes.route("/sandbox", sandboxRoutes()),
});

export default {
  fetch: (request, env, ctx) => app.fetch(request, sandboxEnv(env), ctx),
  scheduled: (_controller, env) => runWatchdog(sandboxEnv(env), Date.now()),
} satisfies ExportedHandler<Env>;
