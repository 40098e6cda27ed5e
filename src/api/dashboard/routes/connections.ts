// Connections, built from rows in D1 and the state of each object.
import { unsupportedChange } from "@gateway/domain/instance/kinds.ts";
import { tickOf } from "@gateway/domain/statistics/tick.ts";
import type { AppContext } from "#root/src/http/app-env.ts";
import { errorFields, log } from "#root/src/log.ts";
import { renderBan, renderQuota, renderRestriction, renderHealth, renderLimits } from "#root/src/http/number-health.ts";
import { isoOfMs, isoOfMsOrNull, isoOfSeconds } from "@gateway/domain/iso-times.ts";
import { readCloudCredentials } from "@gateway/protocol/cloud.ts";
import type { OperationOutput } from "@gateway/protocol/operations.ts";
import { formatPairingCode } from "@gateway/domain/instance/owner-commands.ts";
import { qrImage } from "@gateway/domain/instance/qr-image.ts";
import { regionOfRequest } from "#root/src/services/bridges/homes.ts";
import { mapInBatches } from "#root/src/services/batches.ts";
import { type Access, countOwned } from "#root/src/services/connections/access.ts";
import { missingFeatures } from "../missing-features.ts";
import { changeCloudCredentials, shownCloudNumber, changeConnection } from "#root/src/services/connections/change.ts";
import { createConnection } from "#root/src/services/connections/create.ts";
import { listInstances, listNeedy, type NeedyInstance } from "#root/src/services/connections/list.ts";
import { settingsOfRow } from "#root/src/services/connections/record.ts";
import { removeConnection } from "#root/src/services/connections/remove.ts";
import { failureOfException } from "#root/src/services/exceptions.ts";
import { findSubscription, isActive } from "#root/src/services/subscriptions/subscription.ts";
import { action, message, operation } from "../route.ts";
import { recordAction, readAs, type ConnectionMember } from "../call-as.ts";

/** Maximum concurrent object reads. Each is a subrequest of the worker. */
const READ_CONCURRENCY = 20;
const ROW_MS = 4_000;
const ATTENTION_ITEMS = 10;

export const connectionRoutes = [
  action("GET /connections", "user", async (c, user, { query }) => {
    const { limit, cursor, status, q, of, activity } = query;
    const filters = { status: status ?? null, q: q === undefined || q === "" ? null : q, kind: null, among: null, of };
    const [found, needy, plan] = await Promise.all([
      listInstances(c.env.DB, user.id, { ...filters, after: Number(cursor ?? 0), limit: limit + 1 }),
      listNeedy(c.env.DB, user.id, ATTENTION_ITEMS),
      planOf(c.env.DB, user.id),
    ]);
    const shown = found.slice(0, limit);
    const read = await mapInBatches(shown, READ_CONCURRENCY, (listed) => renderListed(c, { ...listed, user }, activity ?? null));
    const last = found.length > limit ? shown.at(-1) : undefined;
    return {
      ok: true,
      value: {
        // Filters by the object's status, because D1 is updated later than the object.
        data: read.filter((row) => status === undefined || row.status === null || row.status === status),
        next_cursor: last === undefined ? null : String(last.connection.id),
        attention: needy.items.map(renderNeedy),
        attention_total: needy.total,
        plan,
      },
    };
  }),
  action(
    "POST /connections",
    "user",
    async (c, user, { body }) => {
      const { name, cloud_api } = body;
      const cloud = cloud_api === undefined ? null : { ...readCloudCredentials(cloud_api), connects: true };
      const kind = cloud === null ? ({ kind: "session" } as const) : ({ kind: "cloud_api", cloud } as const);
      const made = await createConnection(c.env, { ownerId: user.id, name, region: regionOfRequest(c.req.raw), ...kind }, Date.now());
      return made.ok ? { ok: true, value: { data: await renderLive(c, { connection: made.value, role: "owner", user }) } } : made;
    },
    { created: () => true },
  ),
  action("GET /connections/{id}", "member", async (c, member) => ({ ok: true, value: { data: await renderWhole(c, member) } })),
  action("PATCH /connections/{id}", "owner", async (c, member, { body: { name, settings, cloud_api } }) => {
    const unsupported = unsupportedChange(member.connection.kind, { settings, cloudApi: cloud_api });
    if (unsupported !== null) return unsupported;
    const configured =
      cloud_api === undefined ? null : await changeCloudCredentials(c.env, member.connection, readCloudCredentials(cloud_api));
    if (configured !== null && !configured.ok) return configured;
    const set = {
      ...(name === undefined ? {} : { name }),
      ...(settings === undefined ? {} : { settings }),
    };
    const changed = await changeConnection(c.env, member.connection, set, Date.now());
    if (!changed.ok) return changed;
    if (name !== undefined && name !== member.connection.name) recordAction(c, member, "renamed", name);
    if (settings !== undefined) recordAction(c, member, "settings_changed", null);
    if (configured !== null) recordAction(c, member, "cloud_credentials_changed", null);
    return { ok: true, value: { data: await renderWhole(c, { ...member, connection: changed.value }) } };
  }),
  action("DELETE /connections/{id}", "owner", async (c, { connection }) => {
    await removeConnection(c.env, connection.id, connection.uuid, Date.now());
    return { ok: true, value: { message: "The connection is deleted." } };
  }),
];

type LiveState = {
  phone: string | null;
  last_phone: string | null;
  status: OperationOutput<"instance.get">["status"] | null;
  status_reason: string | null;
  status_changed_at: number | null;
};

const UNANSWERED: LiveState = { phone: null, last_phone: null, status: null, status_reason: "unavailable", status_changed_at: null };

async function renderLive(c: AppContext, member: ConnectionMember) {
  return renderConnection(member, await liveStateOf(c, member));
}

/** An object that fails or hangs affects only its own row. `phone` is the value that was last written to D1. */
async function renderListed(c: AppContext, { phone, ...member }: ConnectionMember & { phone: string | null }, hours: number | null) {
  try {
    const answered = Promise.all([liveStateOf(c, member), hours === null ? undefined : ticksOf(c, member, hours)]);
    const [live, activity] = await Promise.race([answered, scheduler.wait(ROW_MS).then(() => [UNANSWERED, undefined] as const)]);
    const shown = renderConnection(member, live.status === null ? { ...live, phone } : live);
    return activity === undefined ? shown : { ...shown, activity };
  } catch (error) {
    log("dashboard.row_failed", { connection: member.connection.uuid, ...errorFields(error) });
    return renderConnection(member, { ...UNANSWERED, phone, status_reason: failureOfException(error) });
  }
}

async function ticksOf(c: AppContext, member: ConnectionMember, hours: number) {
  const activity = await readAs(c, member, "instance.activity", { hours });
  return activity.ok ? activity.value.hours.map(tickOf).map(({ at, ...tick }) => ({ at: isoOfMs(at), ...tick })) : undefined;
}

async function liveStateOf(c: AppContext, member: ConnectionMember): Promise<LiveState> {
  const record = await readAs(c, member, "instance.get", {});
  if (!record.ok) return { ...UNANSWERED, status_reason: record.failure.code };
  return stateOf(record.value);
}

function stateOf({ phone, last_phone, status, status_reason, status_changed_at }: OperationOutput<"instance.get">): LiveState {
  return { phone, last_phone, status, status_reason, status_changed_at };
}

function renderConnection({ connection, role }: Access, { status_changed_at, ...live }: LiveState) {
  const { id, uuid, kind, createdAt } = connection;
  const since = isoOfMsOrNull(status_changed_at);
  return { id, instance_id: uuid, name: connection.name, kind, ...live, status_changed_at: since, role, created_at: isoOfMs(createdAt) };
}

async function planOf(binding: D1Database, userId: string) {
  const [subscription, instances] = await Promise.all([findSubscription(binding, userId), countOwned(binding, userId)]);
  return subscription === null || !isActive(subscription) ? null : { instances, max_instances: subscription.maxInstances };
}

function renderNeedy({ reason, since, ...facts }: NeedyInstance) {
  return { ...facts, status_reason: reason, status_changed_at: isoOfMsOrNull(since) };
}

async function renderWhole(c: AppContext, member: ConnectionMember) {
  const record = await readAs(c, member, "instance.get", {});
  const stored = {
    settings: settingsOfRow(member.connection),
    cloud_api: shownCloudNumber(member.connection),
    lacks: missingFeatures(member.connection.kind),
  };
  if (!record.ok) {
    return { ...renderConnection(member, { ...UNANSWERED, status_reason: record.failure.code }), ...UNKNOWN, ...stored };
  }
  const { restriction, new_chat_quota: quota, reconnect, subscription, profile_name, ...live } = record.value;
  return {
    ...renderConnection(member, stateOf(record.value)),
    profile_name,
    restriction: restriction === null ? null : renderRestriction(restriction),
    ban: renderBan(live.ban),
    new_chat_quota: quota === null ? null : renderQuota(quota),
    reconnect: reconnect === null ? null : { attempt: reconnect.attempt, next_at: isoOfMs(reconnect.next_at) },
    last_connected_at: isoOfMsOrNull(live.last_connected_at),
    last_inbound_at: isoOfMsOrNull(live.last_inbound_at),
    subscription,
    ...stored,
  };
}

/** Placeholder values for an object that does not respond. */
const UNKNOWN = {
  profile_name: null,
  restriction: null,
  ban: null,
  new_chat_quota: null,
  reconnect: null,
  last_connected_at: null,
  last_inbound_at: null,
  subscription: null,
} as const;

export const instanceRoutes = [
  operation("GET /connections/{id}/health", {
    operation: "instance.health",
    input: () => ({}),
    render: (record) => {
      const { proxy: _ofTheAccountApi, ...health } = renderHealth(record);
      return { data: health };
    },
  }),
  operation("GET /connections/{id}/capabilities", {
    operation: "instance.capabilities",
    input: () => ({}),
    render: (number) => ({ data: { ...number, limits: renderLimits(number.kind) } }),
  }),
  operation("GET /connections/{id}/history", { operation: "instance.history", input: () => ({}), render: (data) => ({ data }) }),
  operation("POST /connections/{id}/connect", {
    operation: "instance.connect",
    input: ({ body }) => ({ force_new_pairing: body.force_new_pairing }),
    render: message("The connection is being opened."),
  }),
  operation("POST /connections/{id}/disconnect", {
    operation: "instance.disconnect",
    input: () => ({}),
    render: message("Disconnected. The session data is kept."),
  }),
  operation("POST /connections/{id}/restart", {
    operation: "instance.restart",
    input: () => ({}),
    render: message("The session is being restarted."),
  }),
  operation("POST /connections/{id}/logout", {
    operation: "instance.logout",
    input: () => ({}),
    render: message("Logged out. The number has to be paired again."),
  }),
  operation("GET /connections/{id}/qr", {
    operation: "instance.qr",
    input: () => ({}),
    render: ({ raw, expires_at }) => ({ data: { qr: qrImage(raw), raw, expires_at: isoOfSeconds(expires_at) } }),
  }),
  operation("POST /connections/{id}/pairing-code", {
    operation: "instance.pairing_code",
    input: ({ body }) => ({ phone: body.phone_number, code: body.code ?? null }),
    render: ({ code, phone, expires_at }) => ({
      data: { code: formatPairingCode(code), phone_number: phone, expires_at: isoOfSeconds(expires_at) },
    }),
  }),
];
