// Instances: made, listed, changed, deleted.
import { z } from "@hono/zod-openapi";
import type { Outcome } from "../../protocol/failures.ts";
import { listInstances, type ListedInstance } from "../../services/connections/list.ts";
import { removeConnection } from "../../services/connections/remove.ts";
import { cursorField, cursorsOf } from "../cursors.ts";
import { changeInstance, createInstance, lookAt } from "../instances.ts";
import { renderInstance, renderUnasked } from "../render/instance.ts";
import { operation, verb } from "../route.ts";
import { instanceId, limitUpTo, message, nextCursor, says } from "../schemas/fields.ts";
import { Instance, instanceChanges, kind, newInstance, status } from "../schemas/instance.ts";
import { accessOf, onlyInstances, type Visit } from "../visit.ts";

/** Objects asked at once: each is one subrequest of ours. */
const AT_ONCE = 20;

const places = cursorsOf(z.number().int());
const params = z.object({ instanceId });
const response = z.object({ data: Instance });

export const instanceRoutes = [
  verb({
    method: "post",
    path: "/instances",
    tag: "instances",
    scope: "manage",
    status: 201,
    summary: "Makes an instance and, unless told otherwise, connects it",
    body: newInstance,
    act: (visit, { body }) => createInstance(visit, body),
    response,
    render: (data) => ({ data }),
  }),
  verb({
    method: "get",
    path: "/instances",
    tag: "instances",
    scope: "read",
    summary: "The instances of the account and those shared with it, oldest first",
    query: z.object({
      status: status.optional(),
      kind: kind.optional(),
      q: z.string().min(1).max(200).optional().openapi({ description: "Part of the name or of the phone" }),
      limit: limitUpTo(200),
      cursor: cursorField(places),
    }),
    act: async (visit, { query }) => {
      const { limit } = query;
      const filters = {
        status: query.status ?? null,
        kind: query.kind ?? null,
        q: query.q ?? null,
        among: onlyInstances(visit),
        after: query.cursor ?? 0,
        limit: limit + 1,
      };
      const found = await listInstances(visit.c.env.DB, visit.user.id, filters);
      const last = found.length > limit ? found[limit - 1] : undefined;
      const next = last === undefined ? null : places.write(last.connection.id);
      return { ok: true, value: { data: await shownEach(visit, found.slice(0, limit)), next_cursor: next } };
    },
    response: z.object({ data: z.array(Instance), next_cursor: nextCursor }),
    render: (page) => page,
  }),
  operation({
    method: "get",
    path: "/instances/{instanceId}",
    tag: "instances",
    scope: "read",
    operation: "instance.get",
    summary: "One instance",
    params,
    input: () => ({}),
    response,
    render: (record, visit) => ({ data: renderInstance(accessOf(visit).connection, record) }),
  }),
  verb({
    method: "patch",
    path: "/instances/{instanceId}",
    tag: "instances",
    scope: "manage",
    ownerOnly: true,
    summary: "Changes name, settings, metadata or proxy",
    params,
    body: instanceChanges,
    act: (visit, { body }) => changeInstance(visit, body),
    response,
    render: (data) => ({ data }),
  }),
  verb({
    method: "delete",
    path: "/instances/{instanceId}",
    tag: "instances",
    scope: "manage",
    ownerOnly: true,
    summary: "Logs the number out and forgets everything about the instance",
    params,
    act: async (visit): Promise<Outcome<object>> => {
      const { id, uuid } = accessOf(visit).connection;
      await removeConnection(visit.c.env, id, uuid, visit.now);
      return { ok: true, value: {} };
    },
    response: message,
    render: says("The instance is deleted."),
  }),
];

async function shownEach(visit: Visit, listed: readonly ListedInstance[]): Promise<z.input<typeof Instance>[]> {
  const shown: z.input<typeof Instance>[] = [];
  for (let at = 0; at < listed.length; at += AT_ONCE) {
    shown.push(...(await Promise.all(listed.slice(at, at + AT_ONCE).map((each) => shownOne(visit, each)))));
  }
  return shown;
}

async function shownOne(visit: Visit, listed: ListedInstance): Promise<z.input<typeof Instance>> {
  const record = await lookAt(visit, listed.connection);
  return record.ok ? renderInstance(listed.connection, record.value) : renderUnasked(listed.connection, listed);
}
