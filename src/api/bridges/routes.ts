import { documented, says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import {
  drainBridge,
  restartBridge,
  setClientVersion,
  shareBuild,
  shownBridges,
  shownClientVersion,
  shownFleet,
  shownMetrics,
} from "./administration.ts";
import { messageResult } from "../account/fields.ts";
import { route } from "../route.ts";
import { adminAction } from "../admin-action.ts";
import { Bridge, bridgeId, BuildShare, ClientVersion, clientVersionFields, Fleet } from "./schemas.ts";

const METRICS_TYPE = "text/plain";

export const adminBridgeRoutes = [
  route({
    name: "listBridges",
    effect: "read",
    method: "get",
    path: "/admin/bridges",
    scope: "admin",
    summary: documented({ en: "Session bridges and their load", pt: "Os bridges de sessão e a carga deles" }),
    run: async (context) => ({ ok: true, value: await shownBridges(context) }),
    response: z.object({ data: z.array(Bridge) }),
    render: (data) => ({ data }),
  }),
  route({
    name: "getClientVersion",
    effect: "read",
    method: "get",
    path: "/admin/client-version",
    scope: "admin",
    summary: documented({ en: "The configured client version", pt: "A versão de cliente definida" }),
    description: documented({
      en: "`GET /admin/bridges` shows what each bridge announces.",
      pt: "`GET /admin/bridges` mostra o que cada bridge anuncia.",
    }),
    run: async (context) => ({ ok: true, value: await shownClientVersion(context) }),
    response: z.object({ data: ClientVersion }),
    render: (data) => ({ data }),
  }),
  adminAction({
    name: "setClientVersion",
    effect: "change",
    method: "put",
    path: "/admin/client-version",
    summary: documented({
      en: "Sets the client version that all bridges announce to WhatsApp",
      pt: "Define a versão de cliente que todos os bridges informam ao WhatsApp",
    }),
    description: documented({
      en: "For the day when WhatsApp rejects the gateway's version. All bridges apply it at once, and numbers in `waiting_for_update` reconnect on their own. Omitting a field clears it; the bridge's own settings then apply.",
      pt: "Use quando o WhatsApp recusar a versão do gateway. Todos os bridges aplicam a mudança na hora, e os números em `waiting_for_update` se reconectam sozinhos. Se você omitir um campo, o valor dele é apagado, e passa a valer a configuração do próprio bridge.",
    }),
    example: { body: { version: "2.3000.1043857760", max: null, reason: "405 since this morning" } },
    body: z.strictObject(clientVersionFields),
    run: (context, { body: { version, max } }) => setClientVersion(context, { version, max }),
    response: z.object({ data: ClientVersion }),
    render: (data) => ({ data }),
  }),
  adminAction({
    name: "drainBridge",
    effect: "change",
    method: "post",
    path: "/admin/bridges/{bridgeId}/drain",
    summary: documented({
      en: "Moves all sessions off a bridge and then stops it",
      pt: "Tira todas as sessões de um bridge e depois o encerra",
    }),
    description: documented({
      en: "Returns at once. The sessions move a few at a time, each as soon as another bridge has room, with an interruption of moments. Then the bridge's process exits; start it again to use it again. Without enough room elsewhere: 409 `bridge_full`. With `force`, sessions without room are disconnected until there is some.",
      pt: "Responde na hora. As sessões são transferidas aos poucos, cada uma assim que outro bridge tem vaga, com uma breve interrupção. Depois, o processo do bridge é encerrado; para voltar a usá-lo, inicie-o de novo. Se faltarem vagas nos outros bridges, a resposta é 409 `bridge_full`. Com `force`, as sessões sem vaga ficam desconectadas até surgir uma.",
    }),
    failures: ["bridge_not_found", "bridge_full"],
    example: { body: { force: false, reason: "New image" } },
    params: z.object({ bridgeId }),
    body: z.strictObject({
      force: z
        .boolean()
        .default(false)
        .openapi(
          says({
            en: "Even if the other bridges do not have room for all its sessions",
            pt: "Mesmo que os outros bridges não tenham vagas para todas as sessões dele",
          }),
        ),
    }),
    run: (context, { params, body }) => drainBridge(context, params.bridgeId, body.force),
    ...messageResult("The bridge gives its sessions away, and ends."),
  }),
  adminAction({
    name: "restartBridge",
    effect: "change",
    method: "post",
    path: "/admin/bridges/{bridgeId}/restart",
    summary: documented({ en: "Restarts a bridge in its container", pt: "Reinicia um bridge no contêiner dele" }),
    description: documented({
      en: "Use this for a bridge that does not respond. Its container is destroyed and started again. Its sessions move to other bridges within seconds, as after a crash, and nobody has to pair again. To end a working bridge, drain it instead. Bridges that run elsewhere are restarted there: 409 `bridge_elsewhere`.",
      pt: "Use quando um bridge não responde: o contêiner é destruído e iniciado de novo. As sessões passam para outros bridges em segundos, como depois de uma queda, e ninguém precisa parear de novo. Para encerrar um bridge que funciona, esvazie-o. Se o bridge roda em outro lugar, reinicie-o lá: a resposta é 409 `bridge_elsewhere`.",
    }),
    failures: ["bridge_not_found", "bridge_elsewhere", "unavailable"],
    example: { body: { reason: "Runs, but does not connect" } },
    params: z.object({ bridgeId }),
    run: (context, { params }) => restartBridge(context, params.bridgeId),
    ...messageResult("The bridge starts again."),
  }),
  route({
    name: "getBridgeMetrics",
    effect: "read",
    method: "get",
    path: "/admin/bridges/{bridgeId}/metrics",
    scope: "admin",
    summary: documented({ en: "The metrics of a bridge in a container", pt: "As métricas de um bridge em um contêiner" }),
    description: documented({
      en: "In the text format of Prometheus. Bridges that run elsewhere serve it themselves: 409 `bridge_elsewhere`.",
      pt: "No formato de texto do Prometheus. Se o bridge roda em outro lugar, consulte as métricas nele mesmo: a resposta é 409 `bridge_elsewhere`.",
    }),
    failures: ["bridge_not_found", "bridge_elsewhere", "unavailable"],
    params: z.object({ bridgeId }),
    run: (context, { params }) => shownMetrics(context, params.bridgeId),
    response: z.string().openapi({ example: "gateway_bridge_capacity 150\n" }),
    textType: METRICS_TYPE,
    render: (text) => new Response(text, { headers: { "content-type": `${METRICS_TYPE}; version=0.0.4; charset=utf-8` } }),
  }),
  route({
    name: "getFleet",
    effect: "read",
    method: "get",
    path: "/admin/fleet",
    scope: "admin",
    summary: documented({ en: "Problems and alarms across all bridges", pt: "Problemas e alarmes de todos os bridges" }),
    run: async (context) => ({ ok: true, value: await shownFleet(context) }),
    response: z.object({ data: Fleet }),
    render: (data) => ({ data }),
  }),
  adminAction({
    name: "shareBuild",
    effect: "change",
    method: "put",
    path: "/admin/fleet/rollout",
    summary: documented({ en: "Gives a bridge build a share of the sessions", pt: "Define a parcela das sessões de um build do bridge" }),
    description: documented({
      en: "Sessions move to bridges of this build, a few at a time, until it has its share. The same ones stay when the share grows. All others go to bridges of other builds, or of releases that do not report a build. `percent` 0 without instances withdraws the build: within a minute it has no sessions, as far as others have room. The gateway withdraws it automatically if its sessions have a problem that the others do not have. You can set a share before any bridge runs the build.",
      pt: "As sessões passam aos poucos para bridges deste build, até ele atingir sua parcela. Quando a parcela cresce, as sessões atuais continuam nele. Todas as outras ficam em bridges de outros builds, ou de versões que não informam o build. `percent` 0 sem instâncias retira o build: em um minuto, ele fica sem sessões, se os outros tiverem vagas. O gateway retira o build automaticamente se as sessões dele tiverem um problema que as outras não têm. Você pode definir a parcela antes de algum bridge rodar o build.",
    }),
    failures: [],
    example: { body: { build: "2026-11-22.1", percent: 1, instance_ids: [], reason: "New image" } },
    body: z.strictObject({ ...BuildShare.shape, instance_ids: BuildShare.shape.instance_ids.default([]) }),
    run: (context, { body: { build, percent, instance_ids: connections } }) => shareBuild(context, { build, percent, connections }),
    ...messageResult("The share of the build is set."),
  }),
  adminAction({
    name: "endRollout",
    effect: "change",
    method: "delete",
    path: "/admin/fleet/rollout",
    summary: documented({
      en: "Ends the rollout: sessions go to bridges of any build",
      pt: "Encerra o rollout: as sessões podem ir para bridges de qualquer build",
    }),
    failures: [],
    run: (context) => shareBuild(context, null),
    ...messageResult("Sessions go to bridges of any build."),
  }),
];
