/// <reference types="@cloudflare/vitest-plugin/types" />
import type { AccountGuard } from "../../durable-objects/account-guard/account-guard.ts";
import type { BridgeContainer } from "../../durable-objects/bridge-container.ts";
import type { BridgePool } from "../../durable-objects/bridge-pool/bridge-pool.ts";
import type { Connection } from "../../durable-objects/connection/connection.ts";
import type { Env as ProductEnv } from "../../src/env.ts";
import type { Connection as MovingConnection } from "../../src/moving/object.ts";
import type { HostingPool } from "./support/hosted-bridges.ts";
import type { DeliveryObject } from "./support/delivery-object.ts";

declare global {
  namespace Cloudflare {
    interface Env extends Omit<ProductEnv, "CONNECTION" | "ACCOUNT_GUARD" | "BRIDGE_POOL" | "BRIDGE_CONTAINER"> {
      CONNECTION: DurableObjectNamespace<Connection>;
      ACCOUNT_GUARD: DurableObjectNamespace<AccountGuard>;
      BRIDGE_POOL: DurableObjectNamespace<BridgePool>;
      BRIDGE_CONTAINER: DurableObjectNamespace<BridgeContainer>;
      /** Tests only: the object in the worker for moves. */
      MOVING: DurableObjectNamespace<MovingConnection>;
      /** Tests only: the delivery engine alone. */
      DELIVERIES: DurableObjectNamespace<DeliveryObject>;
      /** Tests only: a pool that starts its bridges itself. */
      HOSTING_POOL: DurableObjectNamespace<HostingPool>;
    }
  }
}
