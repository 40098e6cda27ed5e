import { says } from "../../http/openapi/text.ts";
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
    summary: { en: "All proxies, oldest first", pt: "Todos os proxies, os mais antigos primeiro" },
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
    summary: { en: "Adds a proxy", pt: "Acrescenta um proxy" },
    description: {
      en: "It must be at a public address. A bridge checks it within a minute, and every minute from then on. Name and password go together.",
      pt: "Deve estar em um endereço público. Uma bridge o verifica em até um minuto, e a cada minuto daí em diante. Nome e senha andam juntos.",
    },
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
    summary: {
      en: "How the proxies are doing, and which instances the dead ones carry",
      pt: "Como os proxies estão, e que instâncias estão nos que caíram",
    },
    query: z.object({
      status: proxyStatus.optional().openapi(says({ en: "Only proxies of this status", pt: "Só proxies com este status" })),
      ...page,
    }),
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
    summary: { en: "One proxy, with the instances on it", pt: "Um proxy, com as instâncias que estão nele" },
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
    summary: { en: "Changes a proxy", pt: "Muda um proxy" },
    description: {
      en: "With another address or other credentials the instances on it reconnect.",
      pt: "Com outro endereço ou outras credenciais, as instâncias que estão nele reconectam.",
    },
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
    summary: { en: "Removes a proxy that carries no instance", pt: "Remove um proxy sem instâncias" },
    description: {
      en: "With `reassign=true` the instances on it move first to healthy proxies that have room, of the same country before others: all, or none and 409 `proxy_in_use`.",
      pt: "Com `reassign=true` as instâncias que estão nele vão antes para proxies saudáveis com lugar, os do mesmo país primeiro: todas, ou nenhuma e 409 `proxy_in_use`.",
    },
    failures: ["proxy_not_found", "proxy_in_use"],
    params,
    query: z.object({
      reassign: queryBoolean
        .optional()
        .openapi(says({ en: "Moves the instances on it first", pt: "Move antes as instâncias que estão nele" })),
    }),
    run: (context, { params: { proxyId: id }, query }) => deleteProxy(context, id, query.reassign ?? false),
    ...messageResult("The proxy is removed."),
  }),
  adminAction({
    name: "checkProxy",
    effect: "change",
    method: "post",
    path: "/admin/proxies/{proxyId}/check",
    summary: { en: "Has a bridge check a proxy now", pt: "Faz um bridge verificar um proxy agora" },
    description: {
      en: "The check counts like those of every minute. 503 when no bridge has answered; that says nothing about the proxy.",
      pt: "A verificação conta como as de cada minuto. 503 quando nenhum bridge respondeu; isso não diz nada sobre o proxy.",
    },
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
    summary: { en: "Gives a proxy to instances", pt: "Dá um proxy a instâncias" },
    description: {
      en: "All of them or none: 409 `proxy_full` says how many it may carry and carries. They reconnect through it, also those that another proxy had stopped; nothing is paired again.",
      pt: "Todas ou nenhuma: 409 `proxy_full` diz quantas ele pode ter e quantas tem. Elas reconectam por ele, também as que outro proxy tinha parado; nada é pareado de novo.",
    },
    failures: ["proxy_not_found", "instance_not_found", "proxy_full", "not_supported"],
    example: { body: { instance_ids: ["0189a5b2-7c3d-7e4f-8a9b-0c1d2e3f4a5b"] } },
    params,
    body: assignment,
    run: (context, { params: { proxyId: id }, body }) => giveProxy(context, id, body.instance_ids),
    ...messageResult("The instances use the proxy."),
  }),
];
