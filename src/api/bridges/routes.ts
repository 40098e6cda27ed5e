import { says } from "../../http/openapi/text.ts";
import { z } from "@hono/zod-openapi";
import { drainBridge, setClientVersion, shareBuild, shownBridges, shownClientVersion, shownFleet } from "./administration.ts";
import { messageResult } from "../account/fields.ts";
import { route } from "../route.ts";
import { adminAction } from "../admin-action.ts";
import { Bridge, bridgeId, BuildShare, ClientVersion, clientVersionFields, Fleet } from "./schemas.ts";

export const adminBridgeRoutes = [
  route({
    name: "listBridges",
    effect: "read",
    method: "get",
    path: "/admin/bridges",
    scope: "admin",
    summary: { en: "The session bridges, with their load", pt: "Os bridges de sessões, com sua carga" },
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
    summary: { en: "What is set of the client version", pt: "O que está definido da versão de cliente" },
    description: {
      en: "`GET /admin/bridges` shows what each bridge announces.",
      pt: "`GET /admin/bridges` mostra o que cada bridge anuncia.",
    },
    run: async (context) => ({ ok: true, value: await shownClientVersion(context) }),
    response: z.object({ data: ClientVersion }),
    render: (data) => ({ data }),
  }),
  adminAction({
    name: "setClientVersion",
    effect: "change",
    method: "put",
    path: "/admin/client-version",
    summary: {
      en: "Sets which client version all bridges announce to the network",
      pt: "Define qual versão de cliente todos os bridges anunciam à rede",
    },
    description: {
      en: "For the day on which the network refuses the version of the gateway: the bridges are told at once, and the numbers that wait for another version (`waiting_for_update`) come back by themselves. A field that is left out is no longer set; then what the bridge's own settings say holds.",
      pt: "Para o dia em que a rede recusa a versão do gateway: os bridges ficam sabendo na hora, e os números que esperam outra versão (`waiting_for_update`) voltam sozinhos. Um campo omitido deixa de estar definido; vale então o que dizem as configurações do próprio bridge.",
    },
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
    summary: { en: "Moves all sessions off a bridge, which then ends", pt: "Tira todas as sessões de um bridge, que então termina" },
    description: {
      en: "Answers at once. The sessions leave a few at a time, each as soon as another bridge has room for it, without an interruption of more than moments; then the process of the bridge is told to end. It takes sessions again when it is started again. Without room for all of them elsewhere: 409 `bridge_full`, unless `force` is set; then those without room are disconnected until there is some.",
      pt: "Responde na hora. As sessões saem aos poucos, cada uma assim que outro bridge tem lugar para ela, com interrupção de instantes; depois o processo do bridge é avisado para terminar. Ele volta a receber sessões quando é iniciado de novo. Sem lugar para todas em outros: 409 `bridge_full`, a menos que `force` esteja ligado; então as que não têm lugar ficam desconectadas até haver.",
    },
    failures: ["bridge_not_found", "bridge_full"],
    example: { body: { force: false, reason: "New image" } },
    params: z.object({ bridgeId }),
    body: z.strictObject({
      force: z
        .boolean()
        .default(false)
        .openapi(
          says({
            en: "Also when the other bridges have no room for all its sessions",
            pt: "Também quando os outros bridges não têm lugar para todas as suas sessões",
          }),
        ),
    }),
    run: (context, { params, body }) => drainBridge(context, params.bridgeId, body.force),
    ...messageResult("The bridge gives its sessions away, and ends."),
  }),
  route({
    name: "getFleet",
    effect: "read",
    method: "get",
    path: "/admin/fleet",
    scope: "admin",
    summary: { en: "The troubles and alarms of all bridges together", pt: "Os problemas e alarmes de todos os bridges juntos" },
    run: async (context) => ({ ok: true, value: await shownFleet(context) }),
    response: z.object({ data: Fleet }),
    render: (data) => ({ data }),
  }),
  adminAction({
    name: "shareBuild",
    effect: "change",
    method: "put",
    path: "/admin/fleet/rollout",
    summary: { en: "Gives a build of the bridge a share of the sessions", pt: "Dá a um build do bridge uma parte das sessões" },
    description: {
      en: "Sessions move to bridges of this build until it has the share, a few at a time; the same ones stay with it when the share grows. All others go to bridges of other builds, or of releases that say no build. `percent` 0 without instances takes it back: within a minute it has none, as far as the others have room. Its share is taken back by itself when its sessions have a trouble that the others do not have. It may be set before a bridge runs the build.",
      pt: "As sessões mudam para bridges deste build até ele ter a sua parte, aos poucos; as mesmas ficam com ele quando a parte cresce. Todas as outras vão para bridges de outros builds, ou de versões que não dizem o build. `percent` 0 sem instâncias o recolhe: em um minuto ele não tem nenhuma, até onde os outros têm lugar. A parte é recolhida sozinha quando as sessões dele têm um problema que as outras não têm. Pode ser definida antes de um bridge rodar o build.",
    },
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
    summary: {
      en: "Ends the shares: sessions go to bridges of any build",
      pt: "Encerra as partes: as sessões vão para bridges de qualquer build",
    },
    failures: [],
    run: (context) => shareBuild(context, null),
    ...messageResult("Sessions go to bridges of any build."),
  }),
];
