// Changes of an instance that affect both D1 and its object.
import type { z } from "zod";
import { unsupportedChange } from "@gateway/domain/instance/kinds.ts";
import { readCloudCredentials } from "@gateway/protocol/cloud.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { withChange } from "@gateway/protocol/instance-settings.ts";
import type { Act } from "@gateway/protocol/operations/history.ts";
import type { InstanceRecord } from "@gateway/protocol/records.ts";
import { regionOfRequest } from "../../services/bridges/homes.ts";
import { createWebhook, hasRoomForWebhook } from "../../services/account-webhooks/change.ts";
import { enterAct, callOperation } from "../../services/connections/call.ts";
import { changeCloudCredentials, changeConnection } from "../../services/connections/change.ts";
import { createConnection } from "../../services/connections/create.ts";
import type { ConnectionRow } from "../../services/connections/record.ts";
import { removeConnection } from "../../services/connections/remove.ts";
import { renderInstance, renderUnreachable } from "./view.ts";
import type { Instance, instanceChanges, newInstance } from "./schemas.ts";
import { onlyInstances, type AccountContext, rowOf } from "../context.ts";
import { readNewWebhook } from "../webhooks/endpoints.ts";

type InstanceView = z.input<typeof Instance>;

/**
 * Fails with `subscription_required`, `instance_limit`, `proxy_full`, `webhook_limit`, `url_not_allowed`, `not_supported`,
 * `cloud_credentials_invalid` or `unavailable`.
 */
export async function createInstance(context: AccountContext, request: z.output<typeof newInstance>): Promise<Outcome<InstanceView>> {
  const { c, user, now } = context;
  if (onlyInstances(context) !== null) return fail("forbidden");
  const webhook = request.webhook === undefined ? null : await readNewWebhook(context, request.webhook);
  if (webhook !== null && !webhook.ok) return webhook;
  if (webhook !== null && !(await hasRoomForWebhook(c.env.DB, user.id))) return fail("webhook_limit");
  const { name, settings = {}, metadata = {}, proxy_id: proxyId = null, connect: connects } = request;
  const cloud = request.cloud_api === undefined ? null : readCloudCredentials(request.cloud_api);
  const kind = cloud === null ? ({ kind: "session" } as const) : ({ kind: "cloud_api", cloud: { ...cloud, connects } } as const);
  const created = await createConnection(
    c.env,
    { ownerId: user.id, name, settings, metadata, proxyId, region: regionOfRequest(c.req.raw), ...kind },
    now,
  );
  if (!created.ok) return created;
  const row = created.value;
  if (webhook !== null) {
    const webhookCreated = await createWebhook(c.env, { ...webhook.value, instanceId: row.uuid }, now);
    // A concurrent request took the last webhook slot, so undo the creation and fail the request as a whole.
    if (!webhookCreated.ok) {
      await removeConnection(c.env, row.id, row.uuid, now);
      return webhookCreated;
    }
  }
  const caller = { subject: context.subject, role: "owner", requestId: c.var.requestId, mutating: true } as const;
  // Cloud API numbers are already connected at this point.
  if (connects && cloud === null) await callOperation(c.env, row.uuid, caller, "instance.connect", { force_new_pairing: false });
  const record = await readInstance(context, row);
  // The instance exists even if its object does not respond; its status shows that.
  return { ok: true, value: record.ok ? renderInstance(row, record.value) : renderUnreachable(row, { status: null, phone: null }) };
}

export async function changeInstance(context: AccountContext, changes: z.output<typeof instanceChanges>): Promise<Outcome<InstanceView>> {
  const connection = await rowOf(context);
  const { name, settings, metadata, proxy_id, cloud_api } = changes;
  const cloud = cloud_api === undefined ? null : readCloudCredentials(cloud_api);
  const unsupported = unsupportedChange(connection.kind, { settings, proxyId: proxy_id, cloudApi: cloud_api });
  if (unsupported !== null) return unsupported;
  const configured = cloud === null ? null : await changeCloudCredentials(context.c.env, connection, cloud);
  if (configured !== null && !configured.ok) return configured;
  const set = {
    ...(configured === null ? {} : configured.value),
    ...(name === undefined ? {} : { name }),
    ...(settings === undefined ? {} : { settings: withChange(connection.settings, settings) }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(proxy_id === undefined ? {} : { proxyId: proxy_id }),
  };
  const changed = await changeConnection(context.c.env, connection, set, context.now);
  if (!changed.ok) return changed;
  const row = changed.value;
  const actor = { subject: context.subject, role: "owner", requestId: context.c.var.requestId } as const;
  const enter = (act: Act, subject: string | null) =>
    context.c.executionCtx.waitUntil(enterAct(context.c.env, row.uuid, actor, act, subject));
  if (name !== undefined && name !== connection.name) enter("renamed", name);
  if (settings !== undefined) enter("settings_changed", null);
  if (cloud !== null) enter("cloud_credentials_changed", null);
  const record = await readInstance(context, row);
  return record.ok ? { ok: true, value: renderInstance(row, record.value) } : record;
}

export async function readInstance(context: AccountContext, row: ConnectionRow): Promise<Outcome<InstanceRecord>> {
  const caller = { subject: context.subject, role: "viewer", requestId: context.c.var.requestId, mutating: false } as const;
  return callOperation(context.c.env, row.uuid, caller, "instance.get", {});
}
