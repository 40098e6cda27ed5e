// The `worker` test project's main module: object classes, accessed through their bindings.
export { AccountGuard } from "../../durable-objects/account-guard/account-guard.ts";
export { AddressGuard } from "../../durable-objects/address-guard.ts";
export { Connection } from "../../durable-objects/connection/connection.ts";
export { Connection as MovingConnection } from "../../src/moving/object.ts";
export { BridgePool } from "../../durable-objects/bridge-pool/bridge-pool.ts";
export { HostedBridge, HostingPool } from "../worker/support/hosted-bridges.ts";
export { DeliveryObject } from "../worker/support/delivery-object.ts";

export default {
  fetch: () => new Response("the objects are reached by their bindings", { status: 404 }),
};
