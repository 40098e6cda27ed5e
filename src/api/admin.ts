import { type AccountRow, type Family } from "./route.ts";
import { adminAuditRoutes } from "./audit/routes.ts";
import { adminStatisticsRoutes } from "./statistics/routes.ts";
import { adminUserStatusRoutes } from "./users/status.ts";
import { adminProxyRoutes } from "./proxies/routes.ts";
import { adminBridgeRoutes } from "./bridges/routes.ts";
import { adminInstanceRoutes } from "./instances/admin.ts";
import { adminUserRoutes } from "./users/routes.ts";

export const admin: Family<AccountRow> = {
  name: "admin",
  title: { en: "Administration", pt: "Administração" },
  description: {
    en: "Users, instances, bridges and proxies of the whole deployment, for administrators alone: the scope `admin`, with a key that is not restricted to instances.",
    pt: "Usuários, instâncias, bridges e proxies de toda a instalação, só para administradores: o escopo `admin`, com uma chave sem restrição a instâncias.",
  },
  routes: [
    ...adminUserRoutes,
    ...adminUserStatusRoutes,
    ...adminInstanceRoutes,
    ...adminBridgeRoutes,
    ...adminStatisticsRoutes,
    ...adminProxyRoutes,
    ...adminAuditRoutes,
  ],
};
