// The production worker with routes for moves, deployed only for a move (docs/operate/moving.md, "To and from the edge").
import { createApp } from "../app.ts";
import { never } from "../http/response-headers.ts";
import { runWatchdog } from "../services/watchdog/watch.ts";
import { moveRoutes, type MovingEnv } from "./routes.ts";

export { AccountGuard } from "../../durable-objects/account-guard/account-guard.ts";
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
export { BridgePool } from "../../durable-objects/bridge-pool/bridge-pool.ts";
export { Connection } from "./object.ts";

const app = createApp({ plainHttpAllowed: never, extend: (routed) => routed.route("/move", moveRoutes()) });

export default {
  fetch: app.fetch,
  scheduled: ({ cron }, env) => runWatchdog(env, Date.now(), cron),
} satisfies ExportedHandler<MovingEnv>;
