// Administration of users, instances and statistics, and the audit log.
import * as z from "zod";
import { cursorCodec } from "@gateway/domain/cursor.ts";
import { pageOfAudit } from "../../audit/page.ts";
import { moveInstance, pageOfInstances } from "../../bridges/administration.ts";
import { statisticsReport } from "../../statistics/report.ts";
import { activate, closeAccount, createUser, pageOfUsers, shownUser, subscribe, suspend, updateUser } from "../../users/administration.ts";
import { adminChange, administratorOf, byCreation, cursorOf, one, placeOf } from "../admin-route.ts";
import type { Parsed } from "../contract/contract.ts";
import { action } from "../route.ts";

const byId = cursorCodec(z.number().int());
const byTime = cursorCodec(z.object({ at: z.number(), id: z.number() }));

export const adminRoutes = [
  action("GET /admin/statistics", "admin", async (c, user, { query: { from, to, ...asked } }) => {
    const report = await statisticsReport(administratorOf(c, user), { ...asked, from: secondsOf(from), to: secondsOf(to) });
    return report.ok ? { ok: true, value: { data: report.value } } : report;
  }),
  action("GET /admin/users", "admin", async (c, _user, { query: { limit, cursor, q, status = null } }) => {
    const after = placeOf(byCreation, cursor);
    if (!after.ok) return after;
    const found = await pageOfUsers(c.env.DB, { status, q: textOrNull(q) }, { after: after.value, limit });
    return { ok: true, value: { data: found.data, next_cursor: cursorOf(byCreation, found.next) } };
  }),
  adminChange(
    "POST /admin/users",
    "createUser",
    (by, { body: { email, name, role, subscription } }) =>
      createUser(by, { email, name, role, subscription: subscription === undefined ? null : termsOf(subscription) }),
    one,
    { created: () => true },
  ),
  action("GET /admin/users/{user_id}", "admin", async (c, _user, { params }) => {
    const found = await shownUser(c.env.DB, params.user_id);
    return found.ok ? { ok: true, value: one(found.value) } : found;
  }),
  adminChange("PATCH /admin/users/{user_id}", "updateUser", (by, { params, body }) => updateUser(by, params.user_id, body), one),
  adminChange("POST /admin/users/{user_id}/suspend", "suspendUser", (by, { params }) => suspend(by, params.user_id), one),
  adminChange("POST /admin/users/{user_id}/activate", "activateUser", (by, { params }) => activate(by, params.user_id), one),
  adminChange(
    "PUT /admin/users/{user_id}/subscription",
    "setSubscription",
    (by, { params, body }) => subscribe(by, params.user_id, termsOf(body)),
    one,
  ),
  adminChange("DELETE /admin/users/{user_id}", "deleteUser", (by, { params }) => closeAccount(by, params.user_id), one),
  action(
    "GET /admin/instances",
    "admin",
    async (c, user, { query: { limit, cursor, q, user_id = null, status = null, bridge_id = null } }) => {
      const after = placeOf(byId, cursor);
      if (!after.ok) return after;
      const filter = { userId: user_id, status, bridgeId: bridge_id, q: textOrNull(q) };
      const found = await pageOfInstances(administratorOf(c, user), filter, { after: after.value ?? 0, limit });
      return { ok: true, value: { data: found.data, next_cursor: cursorOf(byId, found.next) } };
    },
  ),
  adminChange(
    "POST /admin/instances/{instance_id}/move",
    "moveInstance",
    (by, { params, body }) => moveInstance(by, params.instance_id, body.bridge_id ?? null),
    (moved) => moved,
  ),
  action("GET /admin/audit", "admin", async (c, _user, { query: { limit, cursor, actor, action: act, target, from, to } }) => {
    const after = placeOf(byTime, cursor);
    if (!after.ok) return after;
    const filter = { actor: textOrNull(actor), action: textOrNull(act), target: textOrNull(target), from: msOf(from), to: msOf(to) };
    const found = await pageOfAudit(c.env.DB, filter, { after: after.value, limit });
    return { ok: true, value: { data: found.data, next_cursor: cursorOf(byTime, found.next) } };
  }),
];

const textOrNull = (text: string | undefined): string | null => (text === undefined || text === "" ? null : text);
const msOf = (givenTime: string | undefined): number | null => (givenTime === undefined ? null : Date.parse(givenTime));
const secondsOf = (givenTime: string | undefined): number | undefined =>
  givenTime === undefined ? undefined : Math.floor(Date.parse(givenTime) / 1000);

type Terms = Pick<Parsed<"PUT /admin/users/{user_id}/subscription", "body">, "plan" | "status" | "max_instances" | "current_period_end">;

function termsOf({ plan, status, max_instances, current_period_end: end }: Terms) {
  return { plan, status, maxInstances: max_instances, currentPeriodEnd: end === null ? null : Date.parse(end) };
}
