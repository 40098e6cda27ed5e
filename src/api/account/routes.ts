import { documented } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { accountMediaRoute, chatHistoryRoute } from "../chats/account-routes.ts";
import { lidRoutes } from "../contacts/routes.ts";
import { type AccountContext, accessOf } from "../context.ts";
import { englishFailure } from "#root/src/http/english-failure.ts";
import { readableEvents } from "../events/account/event-access.ts";
import { listenerFamily } from "../listeners/routes.ts";
import { familiesOf } from "../families.ts";
import { instances } from "../instances/routes.ts";
import { messageLabelRoutes } from "../labels/routes.ts";
import { account } from "../me/routes.ts";
import { privacyRoutes } from "../profile/routes.ts";
import type { AccountRow, Family, OperationRoute } from "../route.ts";
import { service } from "../service/routes.ts";
import { selfCheckRoutes } from "../service/self-check.ts";
import { streamGuard } from "../events/account/stream.ts";
import { webhooks } from "../webhooks/routes.ts";
import { instanceId } from "./fields.ts";
import { VIEWS } from "./style.ts";
import { adminAuditRoutes } from "../audit/routes.ts";
import { adminStatisticsRoutes } from "../statistics/routes.ts";
import { adminUserStatusRoutes, adminUserRoutes } from "../users/routes.ts";
import { adminProxyRoutes } from "../proxies/routes.ts";
import { adminBridgeRoutes } from "../bridges/routes.ts";
import { adminInstanceRoutes } from "../instances/admin.ts";

const admin: Family<AccountRow> = {
  name: "admin",
  title: documented({ en: "Administration", pt: "Administração" }),
  description: documented({
    en: "Users, instances, bridges and proxies of the whole deployment. For administrators only: requires the scope `admin`, and a key that is not limited to instances.",
    pt: "Usuários, instâncias, bridges e proxies de toda a instalação. Só para administradores: exige o escopo `admin` e uma chave sem restrição a instâncias.",
  }),
  routes: [
    ...adminUserRoutes,
    ...adminUserStatusRoutes,
    ...adminInstanceRoutes,
    ...adminBridgeRoutes,
    ...adminStatisticsRoutes,
    ...adminProxyRoutes,
    ...adminAuditRoutes,
    ...selfCheckRoutes,
  ],
};

export type Route = AccountRow & { tag: string };

const INSTANCE = "/instances/{instanceId}";

const OWN: Readonly<Record<string, readonly OperationRoute<AccountContext>[]>> = {
  chats: [chatHistoryRoute, accountMediaRoute],
  contacts: lidRoutes,
  labels: messageLabelRoutes,
  profile: privacyRoutes,
};

const shared = familiesOf(VIEWS).map(({ routes, ...family }): Family<AccountRow> => {
  const own = OWN[family.name] ?? [];
  const isOwn = (row: AccountRow) => own.some(({ method, path }) => method === row.method && path === row.path);
  return { ...family, routes: [...routes.map(onInstance).filter((row) => !isOwn(row)), ...own] };
});

const { routes: listenerRoutes, ...listeners } = listenerFamily({
  name: "account",
  readable: (context) => readableEvents(context as AccountContext, null),
  connectionOf: (context) => accessOf(context as AccountContext).connection.uuid,
  guard: (context) => streamGuard(context as AccountContext),
  refuse: ({ c }, failure) => englishFailure(c, failure),
});

export const FAMILIES: readonly Family<AccountRow>[] = [
  instances,
  ...shared,
  webhooks,
  { ...listeners, routes: listenerRoutes.map(onInstance) },
  account,
  admin,
  service,
];

export const ROUTES: readonly Route[] = FAMILIES.flatMap(({ name, routes }) => routes.map((row) => ({ ...row, tag: name })));

/** Moves a route shared by both APIs below `/instances/{instanceId}`. The Account API does not cache responses. */
function onInstance({ params, path, ...row }: OperationRoute): OperationRoute<AccountContext> {
  const shape = (params as z.ZodObject | null)?.shape;
  return { ...row, path: INSTANCE + path, params: z.object({ instanceId, ...shape }), cached: false };
}
