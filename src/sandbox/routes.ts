// `/sandbox/*` (docs/use/sandbox.md, "Sandbox routes"). Production builds do not contain these routes.
import { Hono } from "hono";
import * as z from "zod";
import { makeKey } from "@gateway/domain/keys/api-key.ts";
import type { OperationInput, OperationName } from "@gateway/protocol/operations.ts";
import { DAY_SECONDS } from "@gateway/protocol/units.ts";
import { type Env, settingsOf } from "../env.ts";
import type { AppContext, AppEnv } from "../http/app-env.ts";
import { DISCARD_OF_STRANGERS, IncomingBody } from "../http/body/incoming-body.ts";
import { readJson } from "../http/body/read.ts";
import { englishFailure } from "../http/english-failure.ts";
import { ENGLISH_FIELDS } from "../http/field-errors.ts";
import { validationFailure } from "../http/read-request.ts";
import { runWatchdog } from "../services/watchdog/watch.ts";
import { connectionStub } from "../services/connections/stub.ts";
import { mapInBatches } from "../services/batches.ts";
import { listMail } from "./mail-store.ts";
import { isLoopback, SANDBOX_TERMS } from "./sandbox-env.ts";
import { storageCounts } from "./storage-counts.ts";
import { createAccountKey } from "../services/account-keys/create.ts";
import { removeAccountKeysNamed } from "../services/account-keys/remove.ts";
import { listAccess } from "../services/connections/access.ts";
import { callOperation } from "../services/connections/call.ts";
import { createConnection } from "../services/connections/create.ts";
import type { ConnectionRow } from "../services/connections/record.ts";
import { setSubscription } from "../services/subscriptions/set.ts";
import { type User, createUser, setRole, findUserByEmail } from "../services/users/user-table.ts";
import { setPassword } from "../services/identity/password-links.ts";
import { endStreams } from "../services/accounts/guard.ts";
import { issueToken } from "../services/identity/sessions.ts";
import { claimShares } from "../services/shares/shares.ts";
import { findSubscription } from "../services/subscriptions/subscription.ts";

export function sandboxRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.use("*", async (c, next) => {
    c.get("facts").route = `/sandbox/${c.req.path.split("/")[2] ?? ""}`;
    // Protects against DNS rebinding, in which a web page points its host name at this machine.
    return isLoopback(new URL(c.req.url)) ? next() : englishFailure(c, "forbidden");
  });
  routes.post("/token", (c) => withFields(c, TokenRequest, async (fields) => c.json(await sandboxToken(c.env, fields, Date.now()))));
  routes.post("/setup", (c) => withFields(c, SetupRequest, async (fields) => c.json({ data: await setUp(c.env, fields, Date.now()) })));
  routes.post("/watchdog", async (c) => {
    await runWatchdog(c.env, Date.now());
    return c.json({ data: {} });
  });
  routes.post("/statistics", async (c) => {
    await pushAllStatistics(c.env);
    return c.json({ data: {} });
  });
  routes.get("/storage", (c) => c.json({ data: storageCounts() }));
  routes.get("/mail", async (c) => c.json({ data: await listMail(c.env.DB) }));
  routes.all("*", (c) => englishFailure(c, "route_not_found"));
  routes.onError((_, c) => englishFailure(c, "internal_error"));
  return routes;
}

const STATISTICS_CONCURRENCY = 20;

/** Throws if a connection could not push its counts. */
async function pushAllStatistics(env: Env): Promise<void> {
  const { results } = await env.DB.prepare("SELECT uuid FROM connection WHERE removed_at IS NULL").all<{ uuid: string }>();
  await mapInBatches(results, STATISTICS_CONCURRENCY, ({ uuid }) => connectionStub(env, uuid).pushStatistics());
}

const BODY_BYTES = 64 * 1024;

/** Requires a JSON content type, which a web page cannot send to another origin without a preflight. */
async function withFields<S extends z.ZodType>(
  c: AppContext,
  schema: S,
  act: (fields: z.output<S>) => Promise<Response>,
): Promise<Response> {
  const { halfCharacter } = ENGLISH_FIELDS;
  const rules = { limitBytes: BODY_BYTES, files: 0, discard: DISCARD_OF_STRANGERS, halfCharacter };
  const json = await readJson(new IncomingBody(c.req.raw), rules);
  if (!json.ok) return englishFailure(c, json.failure);
  const fields = schema.safeParse(json.value);
  return fields.success ? act(fields.data) : englishFailure(c, validationFailure(fields.error.issues));
}

// `POST /sandbox/setup` creates the first users and connection. It is safe to repeat.
const userFields = { email: z.email(), password: z.string().min(10) };
const SetupRequest = z.strictObject({
  admin: z.strictObject(userFields),
  demo: z.strictObject({ ...userFields, connection: z.string().min(1).max(60) }),
});
type SetupRequest = z.infer<typeof SetupRequest>;

const KEY_NAME = "Sandbox";
const UNRESTRICTED = { scopes: null, instanceIds: null, expiresAt: null };

async function setUp(env: Env, { admin, demo }: SetupRequest, now: number) {
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

// `POST /sandbox/token` returns an access token for any user, without a password.
const TokenRequest = z.strictObject({
  email: z.email(),
  /** Without this field, new users get a subscription, and existing users keep theirs. */
  subscription: z.literal("active").nullable().optional(),
  role: z.enum(["user", "admin"]).optional(),
});

/** The lifetime is long, so that a long test run needs only one token. */
const TOKEN_LIFE_SECONDS = DAY_SECONDS;

async function sandboxToken(env: Env, request: z.infer<typeof TokenRequest>, now: number) {
  const known = await findUserByEmail(env.DB, request.email);
  const user = known ?? (await createUser(env.DB, request.email, request.email.split("@")[0] ?? request.email));
  await claimShares(env.DB, user.id);
  if (request.role !== undefined && request.role !== user.role) {
    await setRole(env.DB, user.id, request.role);
    await endStreams(env, user.id);
  }
  const requested = request.subscription === undefined && known === null ? "active" : request.subscription;
  if (requested === "active") await setSubscription(env, user.id, SANDBOX_TERMS, now);
  if (requested === null && (await findSubscription(env.DB, user.id)) !== null) {
    await setSubscription(env, user.id, { ...SANDBOX_TERMS, status: "canceled" }, now);
  }
  const expiresAt = Math.floor(now / 1000) + TOKEN_LIFE_SECONDS;
  return { access_token: await issueToken(env, user, expiresAt), expires_at: new Date(expiresAt * 1000).toISOString() };
}
