// Instances of all users, for administrators (docs/operations.md, "Bridges: move and drain").
import { z } from "@hono/zod-openapi";
import { isoOfMs, isoOfMsOrNull } from "../../http/times.ts";
import { bridgePoolStub } from "../../services/bridges/pool-stub.ts";
import { type InstanceOverview, listAllInstances } from "../../services/connections/list-all.ts";
import { moveSession } from "../../services/bridges/move.ts";
import { settingsOfRow } from "../../services/connections/record.ts";
import { cursorCodec, cursorField } from "../cursors.ts";
import { instanceId, limitUpTo, message, nextCursor } from "../fields.ts";
import { status } from "../instances/schemas.ts";
import { action } from "../route.ts";
import { adminAction } from "./admin-action.ts";
import { bridgeId } from "./bridge-schemas.ts";
import { AdminInstance } from "./instance-schemas.ts";
import { userId } from "./user-schemas.ts";

const cursors = cursorCodec(z.number().int());

export const adminInstanceRoutes = [
  action({
    name: "listAllInstances",
    effect: "read",
    method: "get",
    path: "/admin/instances",
    scope: "admin",
    summary: "The instances of all users, with owner and bridge, oldest first",
    description: "Status, phone and bridge are those that each instance last reported: they may be a moment late.",
    example: { query: { status: "connected", limit: 50 } },
    query: z.object({
      user_id: userId.optional(),
      status: status.optional(),
      bridge_id: bridgeId.optional(),
      q: z
        .string()
        .trim()
        .min(1)
        .max(254)
        .optional()
        .openapi({ description: "Part of the name, of the phone or of the owner's e-mail address" }),
      limit: limitUpTo(200),
      cursor: cursorField(cursors),
    }),
    run: async ({ c }, { query }) => {
      const { user_id = null, status = null, bridge_id = null, q = null, limit, cursor = 0 } = query;
      const filter = { userId: user_id, status, bridgeId: bridge_id, q };
      const [found, { bridges }] = await Promise.all([
        listAllInstances(c.env.DB, filter, { after: cursor, limit: limit + 1 }),
        bridgePoolStub(c.env).list(),
      ]);
      const memory = new Map(bridges.map(({ id, rss_mb }) => [id, rss_mb]));
      const shown = found.slice(0, limit);
      const last = found.length > limit ? shown.at(-1) : undefined;
      const data = shown.map((overview) => renderOverview(overview, memory));
      return { ok: true, value: { data, next_cursor: last === undefined ? null : cursors.write(last.connection.id) } };
    },
    response: z.object({ data: z.array(AdminInstance), next_cursor: nextCursor }),
    render: (page) => page,
  }),
  adminAction({
    name: "moveInstance",
    effect: "change",
    method: "post",
    path: "/admin/instances/{instanceId}/move",
    summary: "Moves a connected instance to another session bridge",
    description:
      "To the bridge that is named, or to the least loaded other one. The old bridge first ends the sends that are under way; sends that come meanwhile wait. Nothing is lost or sent twice, and nobody pairs again.",
    failures: [
      "instance_not_found",
      "without_session",
      "instance_not_connected",
      "bridge_not_found",
      "already_on_bridge",
      "bridge_draining",
      "bridge_full",
    ],
    example: { body: { bridge_id: "eu-2", reason: "Closer to its owner" } },
    params: z.object({ instanceId }),
    body: z.strictObject({ bridge_id: bridgeId.optional() }),
    run: async ({ c }, { params, body }) => {
      const moved = await moveSession(c.env, params.instanceId, body.bridge_id ?? null);
      if (!moved.ok) return moved;
      const { from, to, arrived } = moved.value;
      const sentence = arrived ? `The instance is on the bridge ${to}.` : `The instance is on its way to the bridge ${to}.`;
      const audit = { target: params.instanceId, before: { bridge_id: from }, after: { bridge_id: to } };
      return { ok: true, value: { value: { message: sentence }, audit } };
    },
    response: message.openapi({ example: { message: "The instance is on the bridge eu-2." } }),
    render: (result) => result,
  }),
];

function renderOverview(
  { connection: row, owner, state }: InstanceOverview,
  memory: ReadonlyMap<string, number>,
): z.input<typeof AdminInstance> {
  const { uuid, ownerId, name, kind, metadata, proxyId, createdAt, updatedAt } = row;
  const bridge = state?.bridgeId ?? null;
  return {
    id: uuid,
    user_id: ownerId,
    name,
    kind,
    status: state?.status ?? "disconnected",
    status_reason: state?.reason ?? null,
    status_changed_at: isoOfMsOrNull(state?.statusChangedAt ?? null),
    phone_number: state?.phone ?? null,
    settings: settingsOfRow(row),
    metadata,
    proxy_id: proxyId,
    created_at: isoOfMs(createdAt),
    updated_at: isoOfMs(updatedAt),
    owner,
    bridge_id: bridge,
    rss_mb: bridge === null ? null : (memory.get(bridge) ?? null),
  };
}
