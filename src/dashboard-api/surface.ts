// The dashboard's API: a third adapter over the same services and operations, with the Account API's error bodies.
import { Hono } from "hono";
import type { AppContext, AppEnv } from "../http/app-env.ts";
import { englishFailure } from "../http/english-failure.ts";
import { honoPath, literalFirst } from "../http/path-pattern.ts";
import { isoOfMsOrNull } from "../http/times.ts";
import { failureOfException } from "../services/object-stubs.ts";
import { findSubscription } from "../services/subscriptions/subscription.ts";
import type { User } from "../services/users/user-table.ts";
import { runOperation, type ConnectionMember } from "./run-operation.ts";
import { addConnection, changeConnection, deleteConnection, listConnections, showConnection } from "./connections.ts";
import { readFields } from "./fields.ts";
import type { DashboardRoute } from "./route.ts";
import { instanceRoutes } from "./routes/instance.ts";
import { createKey, keyRoutes } from "./routes/keys.ts";
import { webhookRoutes } from "./routes/webhook.ts";
import { streamEvents } from "./stream.ts";
import { shareConnection, showShares, unshareConnection } from "./shares.ts";
import { asOwner, asUser, asMember } from "./access.ts";

export const DASHBOARD_API = "/api/dashboard";

type Handler = (c: AppContext) => Promise<Response>;
type Row = { method: string; path: string; act: Handler };

const forUser =
  (act: (c: AppContext, user: User) => Promise<Response>): Handler =>
  (c) =>
    asUser(c, (user) => act(c, user));
const forMember =
  (act: (c: AppContext, member: ConnectionMember) => Promise<Response>): Handler =>
  (c) =>
    asMember(c, (member) => act(c, member));
const forOwner =
  (act: (c: AppContext, member: ConnectionMember) => Promise<Response>): Handler =>
  (c) =>
    asOwner(c, (member) => act(c, member));

const OPERATION_ROUTES: readonly DashboardRoute[] = [...instanceRoutes, ...keyRoutes, ...webhookRoutes];

export const DASHBOARD_ROUTES: readonly Row[] = [
  { method: "get", path: "/me", act: forUser(showMe) },
  { method: "get", path: "/connections", act: forUser(listConnections) },
  { method: "post", path: "/connections", act: forUser(addConnection) },
  { method: "get", path: "/connections/{id}", act: forMember(showConnection) },
  { method: "patch", path: "/connections/{id}", act: forOwner(changeConnection) },
  { method: "delete", path: "/connections/{id}", act: forOwner(deleteConnection) },
  { method: "get", path: "/connections/{id}/stream", act: forMember(streamEvents) },
  { method: "post", path: "/connections/{id}/keys", act: forOwner(createKey) },
  { method: "get", path: "/connections/{id}/shares", act: forOwner(showShares) },
  { method: "post", path: "/connections/{id}/shares", act: forOwner(shareConnection) },
  { method: "delete", path: "/connections/{id}/shares/{share_id}", act: forOwner(unshareConnection) },
  ...OPERATION_ROUTES.map((row) => ({
    method: row.method,
    path: `/connections/{id}${row.path}`,
    act: forMember((c, member) => answerOperation(c, member, row)),
  })),
];

export function dashboardApi(): Hono<AppEnv> {
  const surface = new Hono<AppEnv>();
  for (const { method, path, act } of literalFirst(DASHBOARD_ROUTES)) {
    surface.on(method.toUpperCase(), honoPath(path), (c) => {
      c.var.facts.route = DASHBOARD_API + path;
      return act(c);
    });
  }
  surface.all("*", (c) => asUser(c, async () => englishFailure(c, "route_not_found")));
  surface.onError((error, c) => englishFailure(c, failureOfException(error)));
  return surface;
}

async function answerOperation(c: AppContext, member: ConnectionMember, row: DashboardRoute): Promise<Response> {
  const fields = row.method === "get" ? ({ ok: true, value: undefined } as const) : await readFields(c, row.body);
  if (!fields.ok) return englishFailure(c, fields.failure);
  const input = row.input({ params: c.req.param() as Record<string, string>, body: fields.value });
  // `route()` has checked the input's type against the operation.
  const outcome = await runOperation(c, member, row.operation, input as never);
  if (!outcome.ok) return englishFailure(c, outcome.failure);
  c.header("Cache-Control", "no-store");
  const { status, body } = row.render(outcome.value);
  return c.json(body, status ?? 200);
}

async function showMe(c: AppContext, user: User): Promise<Response> {
  const current = await findSubscription(c.env.DB, user.id);
  const { id, email, name, role } = user;
  const subscription =
    current === null
      ? null
      : {
          plan: current.plan,
          status: current.status,
          max_instances: current.maxInstances,
          current_period_end: isoOfMsOrNull(current.currentPeriodEnd),
        };
  return c.json({ data: { id, email, name, role, subscription } });
}
