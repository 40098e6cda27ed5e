// `POST /sandbox/setup`: creates the first users and connection. Safe to repeat.
import * as z from "zod";
import { makeKey } from "@gateway/domain/keys/api-key.ts";
import { settingsOf, type Env } from "../env.ts";
import type { OperationInput, OperationName } from "@gateway/protocol/operations.ts";
import { createAccountKey } from "../services/account-keys/create.ts";
import { removeAccountKeysNamed } from "../services/account-keys/remove.ts";
import { listAccess } from "../services/connections/access.ts";
import { callOperation } from "../services/connections/call.ts";
import { createConnection } from "../services/connections/create.ts";
import type { ConnectionRow } from "../services/connections/record.ts";
import { setSubscription } from "../services/subscriptions/set.ts";
import { type User, createUser, setRole } from "../services/users/user-table.ts";
import { setPassword } from "../services/identity/password-links.ts";
import { SANDBOX_TERMS } from "./sandbox-env.ts";

const userFields = { email: z.email(), password: z.string().min(10) };
export const SetupRequest = z.strictObject({
  admin: z.strictObject(userFields),
  demo: z.strictObject({ ...userFields, connection: z.string().min(1).max(60) }),
});
type SetupRequest = z.infer<typeof SetupRequest>;

const KEY_NAME = "Sandbox";
const UNRESTRICTED = { scopes: null, instanceIds: null, expiresAt: null };

export async function setUp(env: Env, { admin, demo }: SetupRequest, now: number) {
  const adminUser = await userWith(env, admin, "Admin");
  await setRole(env.DB, adminUser.id, "admin");
  const user = await userWith(env, demo, "Demo");
  for (const { id } of [adminUser, user]) await setSubscription(env, id, SANDBOX_TERMS, now);
  const connection = await connectionNamed(env, user, demo.connection, now);
  await removeAccountKeysNamed(env, user.id, KEY_NAME);
  const made = await createAccountKey(env, { userId: user.id, name: KEY_NAME, ...UNRESTRICTED }, now);
  if (!made.ok) throw new Error(`the account key could not be made: ${made.failure.code}`);
  return {
    api_key: made.value.key,
    connection: { id: connection.id, instance_id: connection.uuid, name: connection.name, api_key: await freshKey(env, user, connection) },
  };
}

async function userWith(env: Env, { email, password }: { email: string; password: string }, name: string): Promise<User> {
  const user = await createUser(env.DB, email, name);
  await setPassword(env, user.id, password);
  return user;
}

async function connectionNamed(env: Env, user: User, name: string, now: number): Promise<ConnectionRow> {
  const known = (await listAccess(env.DB, user.id, 0, 100)).find(({ connection, role }) => role === "owner" && connection.name === name);
  if (known !== undefined) return known.connection;
  const made = await createConnection(env, { ownerId: user.id, name, kind: "session" }, now);
  if (!made.ok) throw new Error(`the demo connection could not be made: ${made.failure.code}`);
  return made.value;
}

async function freshKey(env: Env, user: User, connection: ConnectionRow): Promise<string> {
  const { items } = await askAsOwner(env, user, connection, "keys.list", {});
  for (const { id } of items.filter((key) => key.name === KEY_NAME)) await askAsOwner(env, user, connection, "keys.revoke", { id });
  const { key, prefix, hash } = makeKey(settingsOf(env).KEY_SECRET, connection.uuid, crypto.getRandomValues(new Uint8Array(15)));
  await askAsOwner(env, user, connection, "keys.create", { name: KEY_NAME, prefix, hash });
  return key;
}

async function askAsOwner<N extends OperationName>(
  env: Env,
  user: User,
  connection: ConnectionRow,
  operation: N,
  input: OperationInput<N>,
) {
  const owner = { subject: user.id, role: "owner", requestId: crypto.randomUUID(), mutating: true } as const;
  const outcome = await callOperation(env, connection.uuid, owner, operation, input);
  if (!outcome.ok) throw new Error(`${operation} failed: ${outcome.failure.code}`);
  return outcome.value;
}
