import type { InstanceRecord } from "@gateway/protocol/records.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { Env } from "../../env.ts";
import { errorFields, log } from "../../log.ts";
import { createWebhook, mayAddWebhook, type NewWebhook } from "../account-webhooks/create.ts";
import { callOperation, type OperationCaller, readInstance } from "./call.ts";
import { createConnection, type NewConnection } from "./create.ts";
import type { ConnectionRow } from "./record.ts";
import { removeConnection } from "./remove.ts";

type NewConnectionWithWebhook = {
  connection: NewConnection;
  /** The webhook's `instanceId` is replaced with the new connection's. */
  webhook: NewWebhook | null;
  connects: boolean;
  caller: Pick<OperationCaller, "subject" | "requestId">;
};

/** `record` is null if the connection's object did not respond. */
type CreatedConnection = { row: ConnectionRow; record: InstanceRecord | null };

/** Creates a connection and its webhook, or neither, and connects it. Fails like `createConnection` and `createWebhook`. */
export async function createWithWebhook(env: Env, input: NewConnectionWithWebhook, now: number): Promise<Outcome<CreatedConnection>> {
  const { connection, webhook, connects, caller } = input;
  if (webhook !== null && !(await mayAddWebhook(env.DB, connection.ownerId))) return fail("webhook_limit");
  const created = await createConnection(env, connection, now);
  if (!created.ok) return created;
  const row = created.value;
  if (webhook !== null) {
    const undo = () => removeConnection(env, row.id, row.uuid, now);
    const webhookCreated = await createWebhook(env, { ...webhook, instanceId: row.uuid }, now).catch(async (error: unknown) => {
      await undo();
      throw error;
    });
    // A concurrent request took the last webhook slot, so the whole request fails.
    if (!webhookCreated.ok) {
      await undo();
      return webhookCreated;
    }
  }
  const connectAndRead = async () => {
    const owner = { ...caller, role: "owner", mutating: true } as const;
    // Cloud API numbers are already connected at this point.
    if (connects && connection.kind === "session")
      await callOperation(env, row.uuid, owner, "instance.connect", { force_new_pairing: false });
    return readInstance(env, row.uuid, caller);
  };
  // The connection exists even if its object does not respond. A failure would make the caller retry and create another one.
  const record = await connectAndRead().catch((error: unknown) => {
    log("connection.failed", { connection: row.uuid, ...errorFields(error) });
    return fail("unavailable");
  });
  return succeed({ row, record: record.ok ? record.value : null });
}
