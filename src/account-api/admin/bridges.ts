// Session bridges of the deployment, for administrators (docs/operations.md, "Bridges: move and drain").
import { z } from "@hono/zod-openapi";
import { drainBridge, shownBridges } from "../../http/administration/fleet.ts";
import { messageResult } from "../fields.ts";
import { action } from "../route.ts";
import { adminAction } from "./admin-action.ts";
import { Bridge, bridgeId } from "./bridge-schemas.ts";

export const adminBridgeRoutes = [
  action({
    name: "listBridges",
    effect: "read",
    method: "get",
    path: "/admin/bridges",
    scope: "admin",
    summary: "The session bridges, with their load",
    run: async (context) => ({ ok: true, value: await shownBridges(context) }),
    response: z.object({ data: z.array(Bridge) }),
    render: (data) => ({ data }),
  }),
  adminAction({
    name: "drainBridge",
    effect: "change",
    method: "post",
    path: "/admin/bridges/{bridgeId}/drain",
    summary: "Moves all sessions off a bridge, which then ends",
    description:
      "Answers at once. The sessions leave a few at a time, each as soon as another bridge has room for it, without an interruption of more than moments; then the process of the bridge is told to end. It takes sessions again when it is started again. Without room for all of them elsewhere: 409 `bridge_full`, unless `force` is set; then those without room are disconnected until there is some.",
    failures: ["bridge_not_found", "bridge_full"],
    example: { body: { force: false, reason: "New image" } },
    params: z.object({ bridgeId }),
    body: z.strictObject({
      force: z.boolean().default(false).openapi({ description: "Also when the other bridges have no room for all its sessions" }),
    }),
    run: (context, { params, body }) => drainBridge(context, params.bridgeId, body.force),
    ...messageResult("The bridge gives its sessions away, and ends."),
  }),
];
