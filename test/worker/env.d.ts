/// <reference types="@cloudflare/vitest-plugin/types" />
import type { Env as ProductEnv } from "../../src/env.ts";
import type { HostingPool } from "./support/hosted-bridges.ts";
import type { DeliveryObject } from "./support/delivery-object.ts";

declare global {
  namespace Cloudflare {
    interface Env extends ProductEnv {
      /** Tests only: the delivery engine alone. */
      DELIVERIES: DurableObjectNamespace<DeliveryObject>;
      /** Tests only: a pool that starts its bridges itself. */
      HOSTING_POOL: DurableObjectNamespace<HostingPool>;
    }
  }
}
