// Administration of bridges, builds and proxies.
import {
  drainBridge,
  restartBridge,
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
import { guardedStream, socketFeed } from "#root/src/http/event-stream.ts";
import { openProxySocket } from "#root/src/services/bridges/pools.ts";
import { adminChange, administratorOf, byCreation, cursorOf, one, placeOf } from "../admin-route.ts";
import { authenticate } from "../authenticate.ts";
import { action, stream } from "../route.ts";
import { credentialOf } from "../streams.ts";

export const fleetRoutes = [
  action("GET /admin/bridges", "admin", async (c, user) => ({ ok: true, value: { data: await shownBridges(administratorOf(c, user)) } })),
  adminChange(
    "POST /admin/bridges/{bridge_id}/drain",
    "drainBridge",
    (by, { params, body }) => drainBridge(by, params.bridge_id, body.force),
    () => ({ message: "The bridge gives its sessions away, and ends." }),
  ),
  adminChange(
    "POST /admin/bridges/{bridge_id}/restart",
    "restartBridge",
    (by, { params }) => restartBridge(by, params.bridge_id),
    () => ({ message: "The bridge starts again." }),
  ),
  action("GET /admin/fleet", "admin", async (c, user) => ({ ok: true, value: one(await shownFleet(administratorOf(c, user))) })),
  adminChange(
    "PUT /admin/fleet/rollout",
    "shareBuild",
    (by, { body: { build, percent, instance_ids: connections } }) => shareBuild(by, { build, percent, connections }),
    () => ({ message: "The share of the build is set." }),
  ),
  adminChange(
    "DELETE /admin/fleet/rollout",
    "endRollout",
    (by) => shareBuild(by, null),
    () => ({ message: "Sessions go to bridges of any build." }),
  ),
  action("GET /admin/client-version", "admin", async (c, user) => ({
    ok: true,
    value: one(await shownClientVersion(administratorOf(c, user))),
  })),
  adminChange(
    "PUT /admin/client-version",
    "setClientVersion",
    (by, { body: { version, max } }) => setClientVersion(by, { version, max }),
    one,
  ),
  action("GET /admin/proxies", "admin", async (c, user, { query: { limit, cursor } }) => {
    const after = placeOf(byCreation, cursor);
    if (!after.ok) return after;
    const found = await pageOfProxies(administratorOf(c, user), { after: after.value, limit });
    return { ok: true, value: { data: found.data, next_cursor: cursorOf(byCreation, found.next) } };
  }),
  adminChange("POST /admin/proxies", "createProxy", (by, { body }) => addProxy(by, body), one, { created: () => true }),
  action("GET /admin/proxies/health", "admin", async (c, user, { query: { limit, cursor, status = null } }) => {
    const after = placeOf(byCreation, cursor);
    if (!after.ok) return after;
    const found = await healthOfProxies(administratorOf(c, user), status, { after: after.value, limit });
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
    const found = await proxyWithInstances(administratorOf(c, user), params.proxy_id);
    return found.ok ? { ok: true, value: { data: found.value } } : found;
  }),
  adminChange("PATCH /admin/proxies/{proxy_id}", "updateProxy", (by, { params, body }) => updateProxy(by, params.proxy_id, body), one),
  adminChange(
    "DELETE /admin/proxies/{proxy_id}",
    "deleteProxy",
    (by, { params, body }) => deleteProxy(by, params.proxy_id, body.reassign),
    () => ({ message: "The proxy is removed." }),
  ),
  adminChange("POST /admin/proxies/{proxy_id}/check", "checkProxy", (by, { params }) => checkProxy(by, params.proxy_id), one),
  adminChange(
    "POST /admin/proxies/{proxy_id}/assign",
    "assignProxy",
    (by, { params, body }) => giveProxy(by, params.proxy_id, body.instance_ids),
    () => ({ message: "The instances use the proxy." }),
  ),
];
