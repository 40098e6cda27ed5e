// The dashboard's API: a third adapter over the same services and operations, with the Account API's error bodies.
import { Hono } from "hono";
import type { AppContext, AppEnv } from "../http/app-env.ts";
import { englishFailure } from "../http/english-failure.ts";
import { honoPath, rowsByPath, wrongMethod } from "../http/path-pattern.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";
import { failureOfException } from "../services/object-stubs.ts";
import { asUser, callerOf } from "./dashboard/access.ts";
import { inReadersLanguage, readParts } from "./dashboard/fields.ts";
import { listStreamRoutes } from "./dashboard/live-list.ts";
import type { DashboardRoute } from "./dashboard/route.ts";
import { accountKeyRoutes } from "./dashboard/routes/account-keys.ts";
import { adminRoutes } from "./dashboard/routes/admin.ts";
import { connectionRoutes } from "./dashboard/routes/connections.ts";
import { deliveryRoutes } from "./dashboard/routes/deliveries.ts";
import { identityRoutes } from "./dashboard/routes/identity.ts";
import { instanceRoutes } from "./dashboard/routes/instance.ts";
import { keyRoutes } from "./dashboard/routes/keys.ts";
import { logRoutes } from "./dashboard/routes/logs.ts";
import { chatRoutes } from "./dashboard/routes/chats.ts";
import { messageRoutes } from "./dashboard/routes/messages.ts";
import { pairingRoutes } from "./dashboard/routes/pairing.ts";
import { pairingLinkRoutes } from "./dashboard/routes/pairing-links.ts";
import { auditRoutes, shareRoutes } from "./dashboard/routes/shares.ts";
import { webhookRoutes } from "./dashboard/routes/webhook.ts";
import { type ConnectionMember, runOperation } from "./dashboard/run-operation.ts";
import { streamRoutes } from "./dashboard/stream.ts";

export const DASHBOARD_API = "/api/dashboard";

export const DASHBOARD_ROUTES: readonly DashboardRoute[] = [
  ...identityRoutes,
  ...accountKeyRoutes,
  ...connectionRoutes,
  ...instanceRoutes,
  ...streamRoutes,
  ...listStreamRoutes,
  ...pairingLinkRoutes,
  ...pairingRoutes,
  ...keyRoutes,
  ...webhookRoutes,
  ...deliveryRoutes,
  ...logRoutes,
  ...shareRoutes,
  ...auditRoutes,
  ...chatRoutes,
  ...messageRoutes,
  ...adminRoutes,
];

export function dashboardApi(): Hono<AppEnv> {
  const surface = new Hono<AppEnv>();
  for (const { path, methods, rows } of rowsByPath(DASHBOARD_ROUTES.map(located))) {
    for (const { method, row } of rows) {
      surface.on(method, honoPath(path), (c) => {
        c.var.facts.route = DASHBOARD_API + path;
        return answer(c, row);
      });
    }
    surface.all(honoPath(path), (c) => asUser(c, async () => englishFailure(c, wrongMethod(c, methods))));
  }
  surface.all("*", (c) => asUser(c, async () => englishFailure(c, "route_not_found")));
  surface.onError((error, c) => englishFailure(c, failureOfException(error)));
  return surface;
}

function located(row: DashboardRoute): { method: string; path: string; row: DashboardRoute } {
  const [method = "", path = ""] = row.name.split(" ");
  return { method, path, row };
}

async function answer(c: AppContext, row: DashboardRoute): Promise<Response> {
  const caller = await callerOf(c, row.access);
  if (!caller.ok) return englishFailure(c, caller.failure);
  const parts = await readParts(c, row.name, row.access);
  if (!parts.ok) return englishFailure(c, parts.failure);
  const request = { params: c.req.param() as Record<string, string>, ...parts.value };
  const answered =
    row.kind === "action" ? await row.run(c, caller.value, request) : await operate(c, caller.value as ConnectionMember, row, request);
  if (answered instanceof Response) return answered;
  if (!answered.ok) return englishFailure(c, inReadersLanguage(c, answered.failure));
  return c.json(answered.value, row.status(answered.value));
}

async function operate(
  c: AppContext,
  member: ConnectionMember,
  row: Extract<DashboardRoute, { kind: "operation" }>,
  request: Parameters<typeof row.input>[0],
): Promise<Outcome<object>> {
  // `operation()` has checked the input's type against the operation.
  const outcome = await runOperation(c, member, row.operation, row.input(request) as never);
  return outcome.ok ? { ok: true, value: row.render(outcome.value) } : outcome;
}
