import { invalidField } from "@gateway/domain/failures/field-problems.ts";
import * as z from "zod";
import { type CursorCodec, cursorCodec } from "@gateway/domain/cursor.ts";
import { pageOfAudit, type Administrator, type Audited, audited } from "../../audit/page.ts";
import {
  drainBridge,
  restartBridge,
  moveInstance,
  pageOfInstances,
  setClientVersion,
  shareBuild,
  shownBridges,
  shownClientVersion,
  shownFleet,
} from "../../bridges/administration.ts";
import {
  addProxy,
  checkProxy,
  deleteProxy,
  giveProxy,
  healthOfProxies,
  pageOfProxies,
  proxyWithInstances,
  updateProxy,
} from "../../proxies/administration.ts";
import { statisticsReport } from "../../statistics/report.ts";
import { activate, closeAccount, createUser, pageOfUsers, shownUser, subscribe, suspend, updateUser } from "../../users/administration.ts";
import type { AppContext } from "#root/src/http/app-env.ts";
import { guardedStream, socketFeed } from "#root/src/http/event-stream.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";
import { openProxySocket } from "#root/src/services/bridges/pools.ts";
import type { User } from "#root/src/services/users/user-table.ts";
import { authenticate } from "../authenticate.ts";
import type { JsonRoute, Parsed } from "../contract/contract.ts";
import { action, type ParsedRequest, type Result, stream } from "../route.ts";
import { credentialOf } from "../streams.ts";

const byId = cursorCodec(z.number().int());
const byCreation = cursorCodec(z.object({ createdAt: z.number(), id: z.string() }));
const byTime = cursorCodec(z.object({ at: z.number(), id: z.number() }));

export const adminRoutes = [
  action("GET /admin/statistics", "admin", async (c, user, { query: { from, to, ...asked } }) => {
    const report = await statisticsReport(of(c, user), { ...asked, from: secondsOf(from), to: secondsOf(to) });
    return report.ok ? { ok: true, value: { data: report.value } } : report;
  }),
  action("GET /admin/users", "admin", async (c, _user, { query: { limit, cursor, q, status = null } }) => {
    const after = placeOf(byCreation, cursor);
    if (!after.ok) return after;
    const found = await pageOfUsers(c.env.DB, { status, q: textOrNull(q) }, { after: after.value, limit });
    return { ok: true, value: { data: found.data, next_cursor: cursorOf(byCreation, found.next) } };
  }),
  change(
    "POST /admin/users",
    "createUser",
    (by, { body: { email, name, role, subscription } }) =>
      createUser(by, { email, name, role, subscription: subscription === undefined ? null : termsOf(subscription) }),
    one,
    { created: () => true },
  ),
  action("GET /admin/users/{user_id}", "admin", async (c, _user, { params }) => {
    const found = await shownUser(c.env.DB, params.user_id);
    return found.ok ? { ok: true, value: one(found.value) } : found;
  }),
  change("PATCH /admin/users/{user_id}", "updateUser", (by, { params, body }) => updateUser(by, params.user_id, body), one),
  change("POST /admin/users/{user_id}/suspend", "suspendUser", (by, { params }) => suspend(by, params.user_id), one),
  change("POST /admin/users/{user_id}/activate", "activateUser", (by, { params }) => activate(by, params.user_id), one),
  change(
    "PUT /admin/users/{user_id}/subscription",
    "setSubscription",
    (by, { params, body }) => subscribe(by, params.user_id, termsOf(body)),
    one,
  ),
  change("DELETE /admin/users/{user_id}", "deleteUser", (by, { params }) => closeAccount(by, params.user_id), one),
  action(
    "GET /admin/instances",
    "admin",
    async (c, user, { query: { limit, cursor, q, user_id = null, status = null, bridge_id = null } }) => {
      const after = placeOf(byId, cursor);
      if (!after.ok) return after;
      const filter = { userId: user_id, status, bridgeId: bridge_id, q: textOrNull(q) };
      const found = await pageOfInstances(of(c, user), filter, { after: after.value ?? 0, limit });
      return { ok: true, value: { data: found.data, next_cursor: cursorOf(byId, found.next) } };
    },
  ),
  change(
    "POST /admin/instances/{instance_id}/move",
    "moveInstance",
    (by, { params, body }) => moveInstance(by, params.instance_id, body.bridge_id ?? null),
    (moved) => moved,
  ),
  action("GET /admin/bridges", "admin", async (c, user) => ({ ok: true, value: { data: await shownBridges(of(c, user)) } })),
  change(
    "POST /admin/bridges/{bridge_id}/drain",
    "drainBridge",
    (by, { params, body }) => drainBridge(by, params.bridge_id, body.force),
    () => ({ message: "The bridge gives its sessions away, and ends." }),
  ),
  change(
    "POST /admin/bridges/{bridge_id}/restart",
    "restartBridge",
    (by, { params }) => restartBridge(by, params.bridge_id),
    () => ({ message: "The bridge starts again." }),
  ),
  action("GET /admin/fleet", "admin", async (c, user) => ({ ok: true, value: one(await shownFleet(of(c, user))) })),
  change(
    "PUT /admin/fleet/rollout",
    "shareBuild",
    (by, { body: { build, percent, instance_ids: connections } }) => shareBuild(by, { build, percent, connections }),
    () => ({ message: "The share of the build is set." }),
  ),
  change(
    "DELETE /admin/fleet/rollout",
    "endRollout",
    (by) => shareBuild(by, null),
    () => ({ message: "Sessions go to bridges of any build." }),
  ),
  action("GET /admin/client-version", "admin", async (c, user) => ({ ok: true, value: one(await shownClientVersion(of(c, user))) })),
  change("PUT /admin/client-version", "setClientVersion", (by, { body: { version, max } }) => setClientVersion(by, { version, max }), one),
  action("GET /admin/proxies", "admin", async (c, user, { query: { limit, cursor } }) => {
    const after = placeOf(byCreation, cursor);
    if (!after.ok) return after;
    const found = await pageOfProxies(of(c, user), { after: after.value, limit });
    return { ok: true, value: { data: found.data, next_cursor: cursorOf(byCreation, found.next) } };
  }),
  change("POST /admin/proxies", "createProxy", (by, { body }) => addProxy(by, body), one, { created: () => true }),
  action("GET /admin/proxies/health", "admin", async (c, user, { query: { limit, cursor, status = null } }) => {
    const after = placeOf(byCreation, cursor);
    if (!after.ok) return after;
    const found = await healthOfProxies(of(c, user), status, { after: after.value, limit });
    return { ok: true, value: { data: found.data, next_cursor: cursorOf(byCreation, found.next) } };
  }),
  stream("GET /admin/proxies/stream", "admin", async (c, user) => {
    const opened = await guardedStream(c.env, {
      ...(await credentialOf(c, user, [])),
      open: async () => {
        const socket = await openProxySocket(c.env);
        return socket === null ? null : socketFeed(socket, () => "event: changed\ndata: {}\n\n");
      },
      stillAllowed: async () => {
        const person = await authenticate(c);
        return person.ok && person.value.role === "admin";
      },
    });
    return opened.ok ? opened.value : opened;
  }),
  action("GET /admin/proxies/{proxy_id}", "admin", async (c, user, { params }) => {
    const found = await proxyWithInstances(of(c, user), params.proxy_id);
    return found.ok ? { ok: true, value: { data: found.value } } : found;
  }),
  change("PATCH /admin/proxies/{proxy_id}", "updateProxy", (by, { params, body }) => updateProxy(by, params.proxy_id, body), one),
  change(
    "DELETE /admin/proxies/{proxy_id}",
    "deleteProxy",
    (by, { params, body }) => deleteProxy(by, params.proxy_id, body.reassign),
    () => ({ message: "The proxy is removed." }),
  ),
  change("POST /admin/proxies/{proxy_id}/check", "checkProxy", (by, { params }) => checkProxy(by, params.proxy_id), one),
  change(
    "POST /admin/proxies/{proxy_id}/assign",
    "assignProxy",
    (by, { params, body }) => giveProxy(by, params.proxy_id, body.instance_ids),
    () => ({ message: "The instances use the proxy." }),
  ),
  action("GET /admin/audit", "admin", async (c, _user, { query: { limit, cursor, actor, action: act, target, from, to } }) => {
    const after = placeOf(byTime, cursor);
    if (!after.ok) return after;
    const filter = { actor: textOrNull(actor), action: textOrNull(act), target: textOrNull(target), from: msOf(from), to: msOf(to) };
    const found = await pageOfAudit(c.env.DB, filter, { after: after.value, limit });
    return { ok: true, value: { data: found.data, next_cursor: cursorOf(byTime, found.next) } };
  }),
];

type ChangeRoute = { [N in JsonRoute]: Parsed<N, "body"> extends { reason: string } ? N : never }[JsonRoute] & `${string} /admin/${string}`;

/** `act` is the action's name in the audit log, which is the same as on the Account API. */
function change<N extends ChangeRoute, T>(
  name: N,
  act: string,
  run: (by: Administrator, request: ParsedRequest<N>) => Promise<Outcome<Audited<T>>>,
  render: (value: T) => Result<N>,
  common: { created?: () => boolean } = {},
) {
  return action(
    name,
    "admin",
    async (c, user, request) => {
      const by = of(c, user);
      const { reason } = request.body as { reason: string };
      const entry = { keyId: null, action: act, target: Object.values(request.params).join("/"), reason };
      const outcome = await audited(by, entry, () => run(by, request));
      return outcome.ok ? { ok: true, value: render(outcome.value) } : outcome;
    },
    common,
  );
}

const of = (c: AppContext, user: User): Administrator => ({ c, user, now: Date.now() });
const textOrNull = (text: string | undefined): string | null => (text === undefined || text === "" ? null : text);
const msOf = (givenTime: string | undefined): number | null => (givenTime === undefined ? null : Date.parse(givenTime));
const secondsOf = (givenTime: string | undefined): number | undefined =>
  givenTime === undefined ? undefined : Math.floor(Date.parse(givenTime) / 1000);

function one<T>(data: T): { data: T } {
  return { data };
}

type Terms = Pick<Parsed<"PUT /admin/users/{user_id}/subscription", "body">, "plan" | "status" | "max_instances" | "current_period_end">;

function termsOf({ plan, status, max_instances, current_period_end: end }: Terms) {
  return { plan, status, maxInstances: max_instances, currentPeriodEnd: end === null ? null : Date.parse(end) };
}

function placeOf<T>(cursors: CursorCodec<T>, cursor: string | undefined): Outcome<T | null> {
  if (cursor === undefined) return { ok: true, value: null };
  const place = cursors.read(cursor);
  return place === null ? invalidField("cursor", "not_a_cursor") : { ok: true, value: place };
}

function cursorOf<T>(cursors: CursorCodec<T>, place: T | null): string | null {
  return place === null ? null : cursors.write(place);
}
