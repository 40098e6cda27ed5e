import { createApp } from "./app.ts";
import type { Env } from "./env.ts";
import { never } from "./http/response-headers.ts";
import { runWatchdog } from "./services/watchdog/watch.ts";

export { AccountGuard } from "../durable-objects/account-guard/account-guard.ts";
export { AddressGuard } from "../durable-objects/address-guard.ts";
export {
  BridgeContainer,
  BridgeContainerApac,
  BridgeContainerEeur,
  BridgeContainerEnam,
  BridgeContainerSam,
  BridgeContainerWeur,
  BridgeContainerWnam,
} from "../durable-objects/bridge-container.ts";
export { BridgePool } from "../durable-objects/bridge-pool/bridge-pool.ts";
export { Connection } from "../durable-objects/connection/connection.ts";

const app = createApp({ plainHttpAllowed: never });

export default {
  fetch: app.fetch,
  scheduled: ({ cron }, env) => runWatchdog(env, Date.now(), cron),
} satisfies ExportedHandler<Env>;
