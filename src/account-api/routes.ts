// Every route of the Account API, family by family.
import type { Route } from "./route.ts";
import { accountRoutes } from "./routes/account.ts";
import { chatRoutes } from "./routes/chats.ts";
import { deliveryRoutes } from "./routes/deliveries.ts";
import { eventRoutes } from "./routes/events.ts";
import { groupRoutes } from "./routes/groups.ts";
import { healthRoutes } from "./routes/health.ts";
import { historyRoutes } from "./routes/history.ts";
import { instanceRoutes } from "./routes/instances.ts";
import { sessionRoutes } from "./routes/session.ts";
import { webhookRoutes } from "./routes/webhooks.ts";

export const ROUTES: readonly Route[] = [
  ...healthRoutes,
  ...accountRoutes,
  ...instanceRoutes,
  ...sessionRoutes,
  ...historyRoutes,
  ...chatRoutes,
  ...groupRoutes,
  ...webhookRoutes,
  ...deliveryRoutes,
  ...eventRoutes,
];
