// Session bridges of the deployment, for administrators (docs/operations.md, "Bridges: move and drain").
import { z } from "@hono/zod-openapi";
import { isoOfMs, isoOfMsOrNull } from "../../http/times.ts";
import { type BridgeView, bridgePoolStub } from "../../services/bridges/pool-stub.ts";
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
    run: async ({ c }) => ({ ok: true, value: (await bridgePoolStub(c.env).list()).bridges.map(renderBridge) }),
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
    run: async ({ c }, { params, body }) => {
      const pool = bridgePoolStub(c.env);
      const drained = await pool.drain(params.bridgeId, body.force);
      if (!drained.ok) return drained;
      const { sessions } = drained.value;
      const audit = { target: params.bridgeId, before: { draining: false, sessions }, after: { draining: true, force: body.force } };
      return { ok: true, value: { value: {}, audit } };
    },
    ...messageResult("The bridge gives its sessions away, and ends."),
  }),
];

function renderBridge({ assigned, started_at, last_seen_at, ...bridge }: BridgeView): z.input<typeof Bridge> {
  const { id, region, network, capacity, rss_mb, cpu, draining, connected } = bridge;
  const load = { sessions: assigned, capacity, rss_mb, cpu };
  return {
    id,
    region,
    network,
    ...load,
    started_at: isoOfMsOrNull(started_at),
    draining,
    connected,
    last_seen_at: isoOfMs(last_seen_at),
  };
}
