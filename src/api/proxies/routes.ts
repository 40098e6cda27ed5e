import { documented, says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
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
import { cursorField } from "../account/style.ts";
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
    summary: documented({ en: "All proxies, oldest first", pt: "Todos os proxies, os mais antigos primeiro" }),
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
    summary: documented({ en: "Adds a proxy", pt: "Adiciona um proxy" }),
    description: documented({
      en: "The proxy needs a public address. A bridge checks it within a minute, and then every minute. Username and password go together.",
      pt: "O proxy precisa de um endereço público. Um bridge o verifica em até um minuto e depois a cada minuto. Usuário e senha vão juntos.",
    }),
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
    summary: documented({
      en: "The health of all proxies, and the instances on those that are down",
      pt: "A saúde de todos os proxies, e as instâncias nos que estão fora do ar",
    }),
    query: z.object({
      status: proxyStatus.optional().openapi(says({ en: "Only proxies in this status", pt: "Só proxies neste status" })),
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
    summary: documented({ en: "One proxy, with the instances on it", pt: "Um proxy, com as instâncias que o usam" }),
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
    summary: documented({ en: "Changes a proxy", pt: "Muda um proxy" }),
    description: documented({
      en: "With a new address or new credentials, the instances on it reconnect.",
      pt: "Com um endereço novo ou credenciais novas, as instâncias que usam o proxy se reconectam.",
    }),
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
    summary: documented({ en: "Removes a proxy without instances", pt: "Remove um proxy sem instâncias" }),
    description: documented({
      en: "With `reassign=true`, its instances first move to healthy proxies with room, preferably in the same country. Either all move, or none and you get 409 `proxy_in_use`.",
      pt: "Com `reassign=true`, as instâncias dele são transferidas antes para proxies saudáveis com vaga, de preferência do mesmo país. Se não houver vaga para todas, nenhuma é transferida, e a resposta é 409 `proxy_in_use`.",
    }),
    failures: ["proxy_not_found", "proxy_in_use"],
    params,
    query: z.object({
      reassign: queryBoolean
        .optional()
        .openapi(says({ en: "Moves its instances first", pt: "Transfere antes as instâncias que usam o proxy" })),
    }),
    run: (context, { params: { proxyId: id }, query }) => deleteProxy(context, id, query.reassign ?? false),
    ...messageResult("The proxy is removed."),
  }),
  adminAction({
    name: "checkProxy",
    effect: "change",
    method: "post",
    path: "/admin/proxies/{proxyId}/check",
    summary: documented({ en: "Checks a proxy now", pt: "Verifica um proxy agora" }),
    description: documented({
      en: "The check counts like a scheduled one. 503 means that no bridge responded; it says nothing about the proxy.",
      pt: "A verificação conta como a de cada minuto. 503 significa que nenhum bridge respondeu; não diz nada sobre o proxy.",
    }),
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
    summary: documented({ en: "Assigns a proxy to instances", pt: "Atribui um proxy a instâncias" }),
    description: documented({
      en: "Either all instances get it, or none: 409 `proxy_full` contains the maximum and the current number. They reconnect through it, even if another proxy had stopped them, and nobody has to pair again.",
      pt: "Todas as instâncias recebem o proxy, ou nenhuma: 409 `proxy_full` traz o máximo e o número atual. Elas se reconectam por ele, mesmo as que pararam por causa de outro proxy, e ninguém precisa parear de novo.",
    }),
    failures: ["proxy_not_found", "instance_not_found", "proxy_full", "not_supported"],
    example: { body: { instance_ids: ["0189a5b2-7c3d-7e4f-8a9b-0c1d2e3f4a5b"] } },
    params,
    body: assignment,
    run: (context, { params: { proxyId: id }, body }) => giveProxy(context, id, body.instance_ids),
    ...messageResult("The instances use the proxy."),
  }),
];
