// Every route of the Account API, family by family.
import type { Route } from "./route.ts";
import { accountRoutes } from "./keys/routes.ts";
import { chatRoutes } from "./chats/routes.ts";
import { deliveryRoutes } from "./webhooks/deliveries.ts";
import { eventRoutes } from "./webhooks/event-stream.ts";
import { groupRoutes } from "./groups/routes.ts";
import { healthRoutes } from "./service/routes.ts";
import { historyRoutes } from "./session/history-sync.ts";
import { instanceRoutes } from "./instances/routes.ts";
import { sessionRoutes } from "./session/routes.ts";
import { webhookRoutes } from "./webhooks/routes.ts";

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
