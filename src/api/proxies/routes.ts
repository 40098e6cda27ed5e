// Proxies of the deployment, for administrators (docs/operate/proxies.md, "Proxies").
import { z } from "@hono/zod-openapi";
import {
  addProxy,
  checkProxy,
  deleteProxy,
  giveProxy,
  healthOfProxies,
  pageOfProxies,
  proxyWithInstances,
  updateProxy,
} from "./administration.ts";
import { cursorCodec } from "@gateway/domain/cursor.ts";
import { cursorField } from "../account/cursors.ts";
import { limitUpTo, messageResult, nextCursor, queryBoolean } from "../account/fields.ts";
import { route } from "../route.ts";
import { adminAction } from "../admin-action.ts";
import {
  assignment,
  newProxy,
  Proxy,
  proxyChanges,
  ProxyHealth,
  ProxyHealthSummary,
  proxyId,
  proxyStatus,
  ProxyWithInstances,
} from "./schemas.ts";

const cursors = cursorCodec(z.object({ createdAt: z.number(), id: z.string() }));
const params = z.object({ proxyId });
const page = { limit: limitUpTo(200), cursor: cursorField(cursors) };
const one = { response: z.object({ data: Proxy }), render: (data: z.input<typeof Proxy>) => ({ data }) };

export const adminProxyRoutes = [
  route({
    name: "listProxies",
    effect: "read",
    method: "get",
    path: "/admin/proxies",
    scope: "admin",
    summary: "All proxies, oldest first",
    query: z.object(page),
    run: async (context, { query }) => {
      const { data, next } = await pageOfProxies(context, { after: query.cursor ?? null, limit: query.limit });
      return { ok: true, value: { data, next_cursor: next === null ? null : cursors.write(next) } };
    },
    response: z.object({ data: z.array(Proxy), next_cursor: nextCursor }),
    render: (found) => found,
  }),
  adminAction({
    ...one,
    name: "createProxy",
    effect: "change",
    method: "post",
    path: "/admin/proxies",
    status: 201,
    summary: "Adds a proxy",
    description:
      "It must be at a public address. A bridge checks it within a minute, and every minute from then on. Name and password go together.",
    example: {
      body: {
        label: "São Paulo 1",
        protocol: "http",
        host: "proxy.example.com",
        port: 3128,
        username: "gateway",
        password: "correct-horse",
      },
    },
    body: newProxy,
    run: (context, { body }) => addProxy(context, body),
  }),
  route({
    name: "getProxyHealth",
    effect: "read",
    method: "get",
    path: "/admin/proxies/health",
    scope: "admin",
    summary: "How the proxies are doing, and which instances the dead ones carry",
    query: z.object({ status: proxyStatus.optional().openapi({ description: "Only proxies of this status" }), ...page }),
    run: async (context, { query }) => {
      const { data, next } = await healthOfProxies(context, query.status ?? null, { after: query.cursor ?? null, limit: query.limit });
      return { ok: true, value: { data, next_cursor: next === null ? null : cursors.write(next) } };
    },
    response: z.object({ data: ProxyHealthSummary, next_cursor: nextCursor }),
    render: (found) => found,
  }),
  route({
    name: "getProxy",
    effect: "read",
    method: "get",
    path: "/admin/proxies/{proxyId}",
    scope: "admin",
    summary: "One proxy, with the instances on it",
    failures: ["proxy_not_found"],
    params,
    run: (context, { params: { proxyId: id } }) => proxyWithInstances(context, id),
    response: z.object({ data: ProxyWithInstances }),
    render: (data) => ({ data }),
  }),
  adminAction({
    ...one,
    name: "updateProxy",
    effect: "change",
    method: "patch",
    path: "/admin/proxies/{proxyId}",
    summary: "Changes a proxy",
    description: "With another address or other credentials the instances on it reconnect.",
    failures: ["proxy_not_found", "proxy_full"],
    example: { body: { max_instances: 20 } },
    params,
    someField: true,
    body: proxyChanges,
    run: (context, { params: { proxyId: id }, body }) => updateProxy(context, id, body),
  }),
  adminAction({
    name: "deleteProxy",
    effect: "destructive",
    method: "delete",
    path: "/admin/proxies/{proxyId}",
    summary: "Removes a proxy that carries no instance",
    description:
      "With `reassign=true` the instances on it move first to healthy proxies that have room, of the same country before others: all, or none and 409 `proxy_in_use`.",
    failures: ["proxy_not_found", "proxy_in_use"],
    params,
    query: z.object({ reassign: queryBoolean.optional().openapi({ description: "Moves the instances on it first" }) }),
    run: (context, { params: { proxyId: id }, query }) => deleteProxy(context, id, query.reassign ?? false),
    ...messageResult("The proxy is removed."),
  }),
  adminAction({
    name: "checkProxy",
    effect: "change",
    method: "post",
    path: "/admin/proxies/{proxyId}/check",
    summary: "Has a bridge check a proxy now",
    description: "The check counts like those of every minute. 503 when no bridge has answered; that says nothing about the proxy.",
    failures: ["proxy_not_found", "unavailable"],
    params,
    run: (context, { params: { proxyId: id } }) => checkProxy(context, id),
    response: z.object({ data: ProxyHealth }),
    render: (data) => ({ data }),
  }),
  adminAction({
    name: "assignProxy",
    effect: "change",
    method: "post",
    path: "/admin/proxies/{proxyId}/assign",
    summary: "Gives a proxy to instances",
    description:
      "All of them or none: 409 `proxy_full` says how many it may carry and carries. They reconnect through it, also those that another proxy had stopped; nothing is paired again.",
    failures: ["proxy_not_found", "instance_not_found", "proxy_full", "not_supported"],
    example: { body: { instance_ids: ["0189a5b2-7c3d-7e4f-8a9b-0c1d2e3f4a5b"] } },
    params,
    body: assignment,
    run: (context, { params: { proxyId: id }, body }) => giveProxy(context, id, body.instance_ids),
    ...messageResult("The instances use the proxy."),
  }),
];
