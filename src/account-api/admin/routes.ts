// The deployment, for its administrators (docs/use/account-api.md, "Administration").
import type { Family } from "../route.ts";
import { adminAuditRoutes } from "./audit.ts";
import { adminStatisticsRoutes } from "./statistics.ts";
import { adminUserStatusRoutes } from "./user-status.ts";
import { adminProxyRoutes } from "./proxies.ts";
import { adminBridgeRoutes } from "./bridges.ts";
import { adminInstanceRoutes } from "./instances.ts";
import { adminUserRoutes } from "./users.ts";

export const admin: Family = {
  name: "admin",
  title: "Administration",
  description:
    "Users, instances, bridges and proxies of the whole deployment, for administrators alone: the scope `admin`, with a key that is not restricted to instances.",
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
