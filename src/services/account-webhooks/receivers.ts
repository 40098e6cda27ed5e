// All receivers of an instance's events, for administrators (docs/operate/now.md, "A failing webhook").
import { and, eq, isNull, or } from "drizzle-orm";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { DeliveryRecord } from "@gateway/protocol/records.ts";
import { databaseOf } from "../../db/database.ts";
import { accountWebhook, connection } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { callOperation, type OperationCaller } from "../connections/call.ts";
import { isAbsent } from "./deliveries.ts";

type Receiver = { id: string | null; url: string; isActive: boolean; lastSuccessAt: number | null; deliveries: DeliveryRecord[] };
type Status = DeliveryRecord["status"];

const LISTED = 20;
const NOT_ACCEPTED: Status[] = ["failed", "pending", "skipped"];

/** The connection's own webhook comes first. URLs have no query, because it may contain a secret. Fails with `instance_not_found`. */
export async function receiversOf(
  env: Pick<Env, "DB" | "CONNECTION">,
  uuid: string,
  by: Pick<OperationCaller, "subject" | "requestId">,
): Promise<Outcome<Receiver[]>> {
  const { id, url, isActive, userId, instanceId } = accountWebhook;
  const rows = await databaseOf(env.DB)
    .select({ endpoint: { id, url, isActive } })
    .from(connection)
    .leftJoin(accountWebhook, and(eq(userId, connection.ownerId), or(isNull(instanceId), eq(instanceId, connection.uuid))))
    .where(and(eq(connection.uuid, uuid), isNull(connection.removedAt)));
  if (rows.length === 0) return fail("instance_not_found");
  const caller = { ...by, role: "owner", mutating: false } as const;
  const own = await callOperation(env, uuid, caller, "webhook.get", {});
  if (!own.ok && !isAbsent(own.failure.code)) return own;
  const newest = async (endpoint_id: string | null, status: Status[], limit: number): Promise<Outcome<DeliveryRecord[]>> => {
    const query = { status, event: null, limit, before: null };
    const page = await (endpoint_id === null
      ? callOperation(env, uuid, caller, "webhook.deliveries", query)
      : callOperation(env, uuid, caller, "endpoints.deliveries", { ...query, endpoint_id }));
    if (page.ok) return succeed(page.value.items);
    return isAbsent(page.failure.code) ? succeed([]) : page;
  };
  const known = [
    ...(own.ok ? [{ id: null, url: own.value.url, isActive: own.value.status === "active" }] : []),
    ...rows.flatMap(({ endpoint }) => endpoint ?? []),
  ];
  const receivers: Receiver[] = [];
  for (const each of known) {
    const [open, accepted] = await Promise.all([newest(each.id, NOT_ACCEPTED, LISTED), newest(each.id, ["delivered"], 1)]);
    if (!open.ok) return open;
    if (!accepted.ok) return accepted;
    receivers.push({
      id: each.id,
      url: each.url.replace(/\?.*/, ""),
      isActive: each.isActive,
      lastSuccessAt: accepted.value[0]?.delivered_at ?? null,
      deliveries: open.value,
    });
  }
  return succeed(receivers);
}
