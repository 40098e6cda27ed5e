// What D1 knows of numbers of the Cloud API. Their secrets stand in their objects alone.
import { and, eq, isNull, ne } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { connection } from "../../db/schema.ts";
import type { Env } from "../../env.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { CloudCredentialsInput } from "@gateway/protocol/cloud/credentials.ts";
import type { ConnectionRow } from "./record.ts";
import { connectionStub } from "./stub.ts";

/**
 * Has the object try other credentials of the same number, and connect with them. Answers the columns to be changed. Fails
 * `cloud_credentials_invalid`, `unavailable`, `validation_error` for another number.
 */
export async function changeCloudCredentials(
  env: Env,
  { uuid, cloudPhoneNumberId }: ConnectionRow,
  credentials: CloudCredentialsInput,
): Promise<Outcome<ReturnType<typeof cloudColumns>>> {
  if (credentials.phoneNumberId !== cloudPhoneNumberId) {
    const issue = "cannot be changed: another number is another instance";
    return fail("validation_error", { issues: [{ field: "cloud_api.phone_number_id", issue }] });
  }
  const configured = await connectionStub(env, uuid).configureCloud({ ...credentials, connects: true });
  return configured.ok ? succeed(cloudColumns(credentials)) : configured;
}

/** The columns that say which number it is. */
export function cloudColumns({ phoneNumberId, wabaId, accessToken }: CloudCredentialsInput) {
  return {
    cloudPhoneNumberId: phoneNumberId,
    cloudWabaId: wabaId,
    cloudTokenLast4: accessToken.slice(-4),
  } satisfies Partial<ConnectionRow>;
}

/** What is shown of a number; null on the other kind. */
export function shownCloudNumber({ cloudPhoneNumberId, cloudWabaId, cloudTokenLast4 }: ConnectionRow) {
  if (cloudPhoneNumberId === null || cloudWabaId === null || cloudTokenLast4 === null) return null;
  return { phone_number_id: cloudPhoneNumberId, waba_id: cloudWabaId, access_token_last4: cloudTokenLast4 };
}

/**
 * The refusal of a number that another connection has; null: none has it. Wrong credentials are answered as for any other number: who
 * cannot use a number does not learn that it is here.
 */
export async function refusalOfTaken(env: Env, credentials: CloudCredentialsInput): Promise<Outcome<never> | null> {
  const which = and(eq(connection.cloudPhoneNumberId, credentials.phoneNumberId), isNull(connection.removedAt));
  const [taken] = await databaseOf(env.DB).select({ uuid: connection.uuid }).from(connection).where(which).limit(1);
  if (taken === undefined) return null;
  const tried = await connectionStub(env, taken.uuid).configureCloud({ ...credentials, connects: false, triesOnly: true });
  return tried.ok ? fail("cloud_credentials_invalid", { details: { step: "in_use", network_code: null } }) : tried;
}

/** Whether another connection has a number of this business account. */
export async function isWabaShared(binding: D1Database, wabaId: string, uuid: string): Promise<boolean> {
  const others = and(eq(connection.cloudWabaId, wabaId), ne(connection.uuid, uuid), isNull(connection.removedAt));
  return (await databaseOf(binding).select({ id: connection.id }).from(connection).where(others).limit(1)).length > 0;
}
