// The dashboard's API. Authenticates people by session cookie or bearer token. Its errors have the same bodies as the Account API's.
import type { Handler } from "hono";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { type AppContext, type AppEnv, noteLater } from "#root/src/http/app-env.ts";
import { noteRefusal } from "#root/src/http/response-headers.ts";
import { englishFailure } from "#root/src/http/english-failure.ts";
import { wrongMethod } from "#root/src/http/path-pattern.ts";
import { tooManyFailure } from "./dashboard/auth-routes.ts";
import { authenticate } from "./dashboard/authenticate.ts";
import { inReadersLanguage, readParts } from "./dashboard/fields.ts";
import { listStreamRoutes, streamRoutes } from "./dashboard/streams.ts";
import type { DashboardContext, DashboardRoute, Access } from "./dashboard/route.ts";
import { accountKeyRoutes, keyRoutes } from "./dashboard/routes/keys.ts";
import { adminRoutes } from "./dashboard/routes/admin.ts";
import { fleetRoutes } from "./dashboard/routes/fleet.ts";
import { chatRoutes } from "./dashboard/routes/chats.ts";
import { connectionRoutes, instanceRoutes } from "./dashboard/routes/connections.ts";
import { deliveryRoutes, webhookRoutes } from "./dashboard/routes/webhook.ts";
import { identityRoutes } from "./dashboard/routes/identity.ts";
import { logRoutes } from "./dashboard/routes/logs.ts";
import { messageRoutes } from "./dashboard/routes/messages.ts";
import { notificationRoutes } from "./dashboard/routes/notifications.ts";
import { nowRoutes } from "./dashboard/routes/now.ts";
import { pairingRoutes, pairingLinkRoutes } from "./dashboard/routes/pairing.ts";
import { auditRoutes, shareRoutes } from "./dashboard/routes/shares.ts";
import type { ConnectionMember } from "./dashboard/call-as.ts";
import { serve, type Surface } from "./serve.ts";
import { accessTo } from "#root/src/services/connections/access.ts";
import { countRequest } from "#root/src/services/identity/address-guards.ts";
import { recordOpened } from "#root/src/services/shares/shares.ts";
import type { User } from "#root/src/services/users/user-table.ts";

export const DASHBOARD_ROUTES: readonly DashboardRoute[] = [
  ...identityRoutes,
  ...notificationRoutes,
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
  ...fleetRoutes,
  ...nowRoutes,
];

const surface: Omit<Surface<DashboardContext, DashboardRoute>, "prefix"> = {
  routes: DASHBOARD_ROUTES,
  refuse: (c, failure) => englishFailure(c, inReadersLanguage(c, failure)),
  refuseUnmatched,
  authenticate: async (c, { access }, params) => {
    const caller = await callerOf(c, access, params["id"] ?? "");
    return caller.ok
      ? { ok: true, context: { c, caller: caller.value, params } }
      : { ok: false, response: englishFailure(c, caller.failure) };
  },
  authorize: () => null,
  read: readParts,
  validatesFirst: true,
  calleeOf: ({ caller }, { mutating }) => {
    const { connection, user, role } = caller as ConnectionMember;
    return {
      connection: connection.uuid,
      caller: { kind: "account", subject: user.id, role },
      ...(mutating ? { shown: { caller: "dashboard" } } : {}),
    };
  },
  screensLongBodies: false,
  noteResult: (c, result) => {
    noteRefusal(c, result);
    if (result.replayed === true) c.header("idempotent-replayed", "true");
  },
  admit: async ({ c, caller }, { mutating }, _request, run) => {
    if (!mutating || caller === null) return run();
    // Counts only actions that run in the worker. The connection's object limits operations itself.
    const { id } = "user" in caller ? caller.user : caller;
    const verdict = await countRequest(c.env, id, ["requests"]);
    return verdict.blocked ? fail(tooManyFailure(verdict, "rate_limited")) : run();
  },
};

export function dashboardApi(prefix: string): Handler<AppEnv> {
  return serve({ ...surface, prefix });
}

/** Only signed-in users may learn which paths and methods exist. */
async function refuseUnmatched(c: AppContext, methods: string | null): Promise<Response> {
  const person = await authenticate(c);
  if (!person.ok) return englishFailure(c, person.failure);
  return englishFailure(c, methods === null ? "route_not_found" : wrongMethod(c, methods));
}

async function callerOf(c: AppContext, access: Access, id: string): Promise<Outcome<null | User | ConnectionMember>> {
  if (access === "public") return { ok: true, value: null };
  const person = await authenticate(c);
  if (!person.ok || access === "user") return person;
  if (access === "admin") return person.value.role === "admin" ? person : fail("forbidden");
  const member = await memberOf(c, person.value, id);
  if (!member.ok || access === "member") return member;
  return member.value.role === "owner" ? member : fail("forbidden");
}

/** Users without access get `instance_not_found`, so that they do not learn that the connection exists. */
async function memberOf(c: AppContext, user: User, id: string): Promise<Outcome<ConnectionMember>> {
  const found = /^[1-9]\d{0,15}$/.test(id) ? await accessTo(c.env.DB, user.id, Number(id)) : null;
  if (found === null) return fail("instance_not_found");
  const { openedAt, ...access } = found;
  c.get("facts").connection = access.connection.uuid;
  if (access.role !== "owner" && openedAt === null) {
    noteLater(c, recordOpened(c.env.DB, access.connection.id, user.id, Date.now()));
  }
  return { ok: true, value: { ...access, user } };
}
