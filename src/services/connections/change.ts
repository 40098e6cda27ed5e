import { invalidField } from "@gateway/domain/failures/field-problems.ts";
import { and, eq, or, sql, isNull, ne } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { retriedWrite } from "../../db/outages.ts";
import { connection } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { CloudCredentialsInput } from "@gateway/protocol/cloud.ts";
import { hasCapacity, proxyFull } from "../proxies/find.ts";
import { noLongerPending, PENDING } from "./push-records.ts";
import { connectionStub } from "./stub.ts";
import { type ConnectionRow, lookUpRecord } from "./record.ts";

/** Absent fields stay unchanged. `settings` is merged into the stored ones, but `metadata` is replaced as a whole. */
export type ConnectionChanges = Partial<Pick<ConnectionRow, "name" | "settings" | "metadata" | "proxyId">>;

/** The change is in effect when this returns. If this throws, the watchdog pushes it. Fails with `proxy_full` or `validation_error`. */
export async function changeConnection(
  env: Env,
  row: ConnectionRow,
  { settings, ...changes }: ConnectionChanges,
  now: number,
): Promise<Outcome<ConnectionRow>> {
  // D1 merges the settings, so that concurrent changes do not undo each other. A null removes a setting whose default is null.
  const merged = settings === undefined ? {} : { settings: sql`json_patch(${connection.settings}, ${JSON.stringify(settings)})` };
  const set = { ...changes, ...merged, updatedAt: now, pendingRevision: sql.raw(PENDING) };
  const { proxyId = null } = changes;
  const fits = proxyId === null ? undefined : or(eq(connection.proxyId, proxyId), hasCapacity(proxyId, sql`1`));
  const database = databaseOf(env.DB);
  const [changed] = await retriedWrite(() =>
    database
      .update(connection)
      .set(set)
      .where(and(eq(connection.id, row.id), fits))
      .returning(),
  );
  if (changed === undefined) return proxyId === null ? fail("instance_not_found") : proxyFull(env.DB, proxyId, 1);
  const record = await lookUpRecord(env, row.uuid);
  if (record === null) return fail("instance_not_found");
  await connectionStub(env, row.uuid).configure(record);
  await retriedWrite(() => noLongerPending(database, [row.uuid], record.revision));
  return succeed(changed);
}

// D1 records of Cloud API numbers. Only their objects store the secrets.

/** Fails with `cloud_credentials_invalid`, `unavailable`, or `validation_error` for another number. */
export async function changeCloudCredentials(
  env: Env,
  { uuid, cloudPhoneNumberId }: ConnectionRow,
  credentials: CloudCredentialsInput,
): Promise<Outcome<Record<string, never>>> {
  if (credentials.phoneNumberId !== cloudPhoneNumberId) {
    return invalidField("cloud_api.phone_number_id", "other_number");
  }
  return connectionStub(env, uuid).configureCloud({ ...credentials, connects: true });
}

export type ShownCredentials = Pick<CloudCredentialsInput, "phoneNumberId" | "wabaId" | "accessToken">;

/** Called by the connection's object, so that D1 shows the credentials that the object stored last. */
export async function showCloudCredentials(binding: D1Database, uuid: string, credentials: ShownCredentials): Promise<void> {
  const { cloudWabaId, cloudTokenLast4 } = cloudColumns(credentials);
  const differs = or(ne(connection.cloudWabaId, cloudWabaId), ne(connection.cloudTokenLast4, cloudTokenLast4));
  const which = and(eq(connection.uuid, uuid), isNull(connection.removedAt), differs);
  await retriedWrite(() => databaseOf(binding).update(connection).set({ cloudWabaId, cloudTokenLast4 }).where(which));
}

export function cloudColumns({ phoneNumberId, wabaId, accessToken }: ShownCredentials) {
  return {
    cloudPhoneNumberId: phoneNumberId,
    cloudWabaId: wabaId,
    cloudTokenLast4: accessToken.slice(-4),
  } satisfies Partial<ConnectionRow>;
}

export function shownCloudNumber({ cloudPhoneNumberId, cloudWabaId, cloudTokenLast4 }: ConnectionRow) {
  if (cloudPhoneNumberId === null || cloudWabaId === null || cloudTokenLast4 === null) return null;
  return { phone_number_id: cloudPhoneNumberId, waba_id: cloudWabaId, access_token_last4: cloudTokenLast4 };
}

/** Null if the number is free. Wrong credentials get the usual failure, so that strangers cannot find out which numbers are in use. */
export async function refusalOfTaken(env: Env, credentials: CloudCredentialsInput): Promise<Outcome<never> | null> {
  const which = and(eq(connection.cloudPhoneNumberId, credentials.phoneNumberId), isNull(connection.removedAt));
  const [taken] = await databaseOf(env.DB).select({ uuid: connection.uuid }).from(connection).where(which).limit(1);
  if (taken === undefined) return null;
  const tried = await connectionStub(env, taken.uuid).configureCloud({ ...credentials, connects: false, triesOnly: true });
  return tried.ok ? fail("cloud_credentials_invalid", { details: { step: "in_use", network_code: null } }) : tried;
}

export async function isWabaShared(binding: D1Database, wabaId: string, uuid: string): Promise<boolean> {
  const others = and(eq(connection.cloudWabaId, wabaId), ne(connection.uuid, uuid), isNull(connection.removedAt));
  return (await databaseOf(binding).select({ id: connection.id }).from(connection).where(others).limit(1)).length > 0;
}
