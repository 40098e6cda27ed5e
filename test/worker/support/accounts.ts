// Account API users, with their keys and tokens, and helpers for their calls.
import { env } from "cloudflare:workers";
import { type Scope, SCOPES } from "@gateway/domain/keys/scopes.ts";
import type { Env } from "#root/src/env.ts";
import { createAccountKey, type NewAccountKey } from "#root/src/services/account-keys/create.ts";
import { type Asked, type EnglishError, freshAddress, gateway } from "./gateway.ts";
import { type Someone, someone } from "./people.ts";

// Loosely typed: tests inspect responses field by field, and the contract checks cover their schemas.
export type Reply = { status: number; headers: Headers; body: any };

/** Calls the Account API as a user. */
export type Calls = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>;

export function callsWith(credential: Record<string, string>, ask: Asked = gateway()): Calls {
  return async (method, path, body, headers = {}) => {
    const answer = await ask(`/api${path}`, {
      method,
      headers: { "cf-connecting-ip": freshAddress(), "content-type": "application/json", ...credential, ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text === "" ? null : JSON.parse(text) };
  };
}

export async function keyOf(who: Someone, change: Partial<NewAccountKey> = {}): Promise<{ id: string; key: string }> {
  const wanted = { userId: who.user.id, name: "Test", scopes: null, instanceIds: null, expiresAt: null, ...change };
  const made = await createAccountKey(env as Env, wanted, Date.now());
  if (!made.ok) throw new Error(made.failure.code);
  return { id: made.value.row.id, key: made.value.key };
}

/** A user with a key for every scope, including those that require an administrator. */
export async function holder(ask: Asked = gateway(), maxInstances: number | null = 50) {
  const who = await someone(maxInstances);
  const { id, key } = await keyOf(who, { scopes: SCOPES });
  const withKey = callsWith({ "x-api-key": key }, ask);
  const withScopes = async (...scopes: Scope[]) => callsWith({ "x-api-key": (await keyOf(who, { scopes })).key }, ask);
  return { who, keyId: id, key, call: withKey, token: callsWith({ authorization: `Bearer ${who.token}` }, ask), withScopes };
}

export const codeOf = ({ status, body }: Reply): [number, string] => [status, (body as EnglishError).error.code];

/** A new instance of the user, not connected. */
export async function instanceOf(call: Calls, change: Record<string, unknown> = {}): Promise<any> {
  const made = await call("POST", "/instances", { name: "Loja", connect: false, ...change });
  if (made.status !== 201) throw new Error(`no instance: ${JSON.stringify(made.body)}`);
  return made.body.data;
}
