// The verbs on instances that concern the directory as well as the instance's object.
import type { z } from "zod";
import { fail, type Failure, type Outcome } from "../protocol/failures.ts";
import { withChange } from "../protocol/instance-settings.ts";
import type { InstanceRecord } from "../protocol/records.ts";
import { createWebhook, hasRoomForWebhook } from "../services/account-webhooks/create.ts";
import { askAs } from "../services/connections/ask-as.ts";
import { changeConnection } from "../services/connections/change.ts";
import { createConnection } from "../services/connections/create.ts";
import type { ConnectionRow } from "../services/connections/record.ts";
import { removeConnection } from "../services/connections/remove.ts";
import { findProxy } from "../services/proxies/find.ts";
import { renderInstance, renderUnasked } from "./render/instance.ts";
import type { Instance, instanceChanges, newInstance } from "./schemas/instance.ts";
import { accessOf, onlyInstances, type Visit } from "./visit.ts";
import { readNewWebhook } from "./webhooks.ts";

type Shown = z.input<typeof Instance>;

/** Fails `subscription_required`, `instance_limit`, `webhook_limit`, `url_not_allowed`, `not_supported`. */
export async function createInstance(visit: Visit, wanted: z.output<typeof newInstance>): Promise<Outcome<Shown>> {
  const { c, user, now } = visit;
  if (onlyInstances(visit) !== null) return fail("forbidden");
  const refused = await refusalOf(visit, wanted);
  if (refused !== null) return fail(refused);
  const webhook = wanted.webhook === undefined ? null : await readNewWebhook(visit, wanted.webhook);
  if (webhook !== null && !webhook.ok) return webhook;
  if (webhook !== null && !(await hasRoomForWebhook(c.env.DB, user.id))) return fail("webhook_limit");
  const { name, kind, settings = {}, metadata = {}, proxy_id: proxyId = null } = wanted;
  const made = await createConnection(c.env, { ownerId: user.id, name, kind, settings, metadata, proxyId }, now);
  if (!made.ok) return made;
  const row = made.value;
  if (webhook !== null) {
    const hooked = await createWebhook(c.env, { ...webhook.value, instanceId: row.uuid }, now);
    // Another request took the last place meanwhile: half of what was asked for is not what was asked for.
    if (!hooked.ok) {
      await removeConnection(c.env, row.id, row.uuid, now);
      return hooked;
    }
  }
  const asker = { subject: visit.subject, role: "owner", requestId: c.var.requestId, mutating: true } as const;
  if (wanted.connect) await askAs(c.env, row.uuid, asker, "instance.connect", { force_new_pairing: false });
  const record = await lookAt(visit, row);
  // It is made, whatever it says: its status tells how far it came.
  return { ok: true, value: record.ok ? renderInstance(row, record.value) : renderUnasked(row, { status: null, phone: null }) };
}

export async function changeInstance(visit: Visit, changes: z.output<typeof instanceChanges>): Promise<Outcome<Shown>> {
  const { connection } = accessOf(visit);
  if (changes.cloud_api !== undefined) return fail("not_supported", { details: { kind: connection.kind } });
  const refused = await refusalOf(visit, changes);
  if (refused !== null) return fail(refused);
  const { name, settings, metadata, proxy_id } = changes;
  const set = {
    ...(name === undefined ? {} : { name }),
    ...(settings === undefined ? {} : { settings: withChange(connection.settings, settings) }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(proxy_id === undefined ? {} : { proxyId: proxy_id }),
  };
  const row = await changeConnection(visit.c.env, connection, set, visit.now);
  const record = await lookAt(visit, row);
  return record.ok ? { ok: true, value: renderInstance(row, record.value) } : record;
}

/** What its object says of it now. */
export async function lookAt(visit: Visit, row: ConnectionRow): Promise<Outcome<InstanceRecord>> {
  const asker = { subject: visit.subject, role: "viewer", requestId: visit.c.var.requestId, mutating: false } as const;
  return askAs(visit.c.env, row.uuid, asker, "instance.get", {});
}

async function refusalOf(visit: Visit, { proxy_id }: z.output<typeof instanceChanges>): Promise<Failure | null> {
  if (proxy_id === undefined || proxy_id === null || (await findProxy(visit.c.env.DB, proxy_id)) !== null) return null;
  return { code: "validation_error", issues: [{ field: "proxy_id", issue: "there is no such proxy" }] };
}
