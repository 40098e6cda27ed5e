// Creating, listing, changing and deleting instances.
import { z } from "@hono/zod-openapi";
import type { Outcome } from "@gateway/protocol/failures.ts";
import { listInstances, type ListedInstance } from "../../services/connections/list.ts";
import { removeConnection } from "../../services/connections/remove.ts";
import { cursorCodec } from "@gateway/domain/cursor.ts";
import { cursorField } from "../account/cursors.ts";
import { changeInstance, createInstance, readInstance } from "./changes.ts";
import { renderInstance, renderUnreachable } from "./view.ts";
import { type AccountRow, type Family, route } from "../route.ts";
import { instanceExportRoutes } from "../export/routes.ts";
import { historyRoutes } from "./history-sync.ts";
import { sessionRoutes } from "./session.ts";

import { instanceId, limitUpTo, nextCursor, messageResult } from "../account/fields.ts";
import { Instance, instanceChanges, kind, newInstance, status } from "./schemas.ts";
import { accessOf, onlyInstances, type AccountContext, rowOf } from "../context.ts";
import { mapInBatches } from "../../services/batches.ts";

/** Objects read at the same time: each is one subrequest of the worker. */
const READ_CONCURRENCY = 20;

const cursors = cursorCodec(z.number().int());
const params = z.object({ instanceId });
const response = z.object({ data: Instance });

const instanceRoutes = [
  route({
    name: "createInstance",
    effect: "change",
    method: "post",
    path: "/instances",
    scope: "manage",
    status: 201,
    summary: "Makes an instance and, unless told otherwise, connects it",
    description:
      "Takes a webhook for this instance along in `webhook`. A number of Meta's Cloud API (`kind` `cloud_api`) comes with its credentials in `cloud_api`; they are tried before this is answered, and 400 `cloud_credentials_invalid` says in `details.step` where they failed: `in_use`, `number`, `register`, `subscribe`, `fields` or `callback`.",
    failures: [
      "subscription_required",
      "instance_limit",
      "proxy_full",
      "webhook_limit",
      "url_not_allowed",
      "not_supported",
      "cloud_credentials_invalid",
    ],
    example: { body: { name: "Store", connect: false, metadata: { customer: "4711" } } },
    body: newInstance,
    run: (context, { body }) => createInstance(context, body),
    response,
    render: (data) => ({ data }),
  }),
  route({
    name: "listInstances",
    effect: "read",
    method: "get",
    path: "/instances",
    scope: "read",
    summary: "The instances of the account and those shared with it, oldest first",
    query: z.object({
      status: status.optional(),
      kind: kind.optional(),
      q: z.string().min(1).max(200).optional().openapi({ description: "Part of the name or of the phone" }),
      limit: limitUpTo(200),
      cursor: cursorField(cursors),
    }),
    run: async (context, { query }) => {
      const { limit } = query;
      const filters = {
        status: query.status ?? null,
        kind: query.kind ?? null,
        q: query.q ?? null,
        among: onlyInstances(context),
        after: query.cursor ?? 0,
        limit: limit + 1,
      };
      const found = await listInstances(context.c.env.DB, context.user.id, filters);
      const last = found.length > limit ? found[limit - 1] : undefined;
      const next = last === undefined ? null : cursors.write(last.connection.id);
      return { ok: true, value: { data: await renderEach(context, found.slice(0, limit)), next_cursor: next } };
    },
    response: z.object({ data: z.array(Instance), next_cursor: nextCursor }),
    render: (page) => page,
  }),
  route({
    name: "getInstance",
    effect: "read",
    method: "get",
    path: "/instances/{instanceId}",
    scope: "read",
    operation: "instance.get",
    counted: true,
    summary: "One instance",
    params,
    input: () => ({}),
    response,
    render: async (record, context) => ({ data: renderInstance(await rowOf(context), record) }),
  }),
  route({
    name: "updateInstance",
    effect: "change",
    method: "patch",
    path: "/instances/{instanceId}",
    scope: "manage",
    ownerOnly: true,
    summary: "Changes name, settings, metadata or proxy",
    description:
      "`settings` and `settings.pacing` are added to what was set before; `metadata` is replaced whole. Another proxy reconnects the number. `cloud_api` gives a number of the Cloud API other credentials and connects it; refused ones change nothing.",
    failures: ["not_supported", "proxy_full", "cloud_credentials_invalid"],
    example: { body: { name: "Store, downtown", settings: { ignore_groups: true } } },
    params,
    body: instanceChanges,
    run: (context, { body }) => changeInstance(context, body),
    response,
    render: (data) => ({ data }),
  }),
  route({
    name: "deleteInstance",
    effect: "destructive",
    method: "delete",
    path: "/instances/{instanceId}",
    scope: "manage",
    ownerOnly: true,
    summary: "Logs the number out and forgets everything about the instance",
    params,
    run: async (context): Promise<Outcome<object>> => {
      const { id, uuid } = accessOf(context).connection;
      await removeConnection(context.c.env, id, uuid, context.now);
      return { ok: true, value: {} };
    },
    ...messageResult("The instance is deleted."),
  }),
];

export const instances: Family<AccountRow> = {
  name: "instances",
  title: "Instances",
  description: "Connected numbers: making, pairing, connecting, watching, deleting them.",
  routes: [...instanceRoutes, ...sessionRoutes, ...historyRoutes, ...instanceExportRoutes],
};

function renderEach(context: AccountContext, listed: readonly ListedInstance[]): Promise<z.input<typeof Instance>[]> {
  return mapInBatches(listed, READ_CONCURRENCY, (each) => renderOne(context, each));
}

async function renderOne(context: AccountContext, listed: ListedInstance): Promise<z.input<typeof Instance>> {
  const record = await readInstance(context, listed.connection);
  return record.ok ? renderInstance(listed.connection, record.value) : renderUnreachable(listed.connection, listed);
}
