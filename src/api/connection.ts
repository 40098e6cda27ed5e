// The Connection API: the key identifies the connection, and its object executes every operation.
import type { Handler } from "hono";
import { settingsOf } from "../env.ts";
import type { AppContext, AppEnv } from "../http/app-env.ts";
import { setAnswerHeaders } from "../http/answer-headers.ts";
import { PORTUGUESE_FIELDS } from "../http/field-errors.ts";
import { wrongMethod } from "../http/path-pattern.ts";
import { readRequest } from "../http/read-request.ts";
import { noteOldKey, refuseKey } from "../http/refuse-key.ts";
import type { Failure } from "@gateway/protocol/failures.ts";
import { callConnection } from "../services/connections/call.ts";
import { callOf, type KeyContext, type KnownKey, UNREAD } from "./context.ts";
import { portugueseFailure } from "./connection/failure.ts";
import { type Route, ROUTES } from "./connection/routes.ts";
import { serve, type Surface } from "./serve.ts";
import { LRUCache } from "lru-cache";
import { keyHash, parseKey } from "@gateway/domain/keys/api-key.ts";
import type { VersionedSecrets } from "@gateway/domain/keys/secrets.ts";

const surface: Omit<Surface<KeyContext, Route>, "prefix"> = {
  routes: ROUTES,
  refuse,
  answerUnmatched,
  authenticate: async (c) => {
    const key = keyOf(c);
    if (key === null) return { ok: false, answer: await refuseKey(c, portugueseFailure) };
    return { ok: true, context: { c, key, now: Date.now(), appUrl: settingsOf(c.env).APP_URL, routes: ROUTES } };
  },
  authorize: () => null,
  read: ({ c }, row, body, params) => readRequest(c, row, body, PORTUGUESE_FIELDS, params),
  validatesFirst: false,
  calleeOf: ({ key }, { scope }) => ({ connection: key.connection, caller: { ...key.caller, scope }, shown: { caller: "key" } }),
  screensLongBodies: true,
  noteAnswer: setAnswerHeaders,
  admit: (_context, _row, _request, run) => run(),
};

export function connectionApi(prefix: string): Handler<AppEnv> {
  return serve({ ...surface, prefix });
}

/** A revoked key gets the same response as a forged one. */
function refuse(c: AppContext, failure: Failure): Response | Promise<Response> {
  return failure.code === "unauthorized" ? refuseKey(c, portugueseFailure) : portugueseFailure(c, failure);
}

function keyOf(c: AppContext): KnownKey | null {
  const key = knownKey(settingsOf(c.env).KEY_SECRET, c.req.raw.headers);
  if (key === null) return null;
  c.get("facts").connection = key.connection;
  noteOldKey(c, key.kid);
  const address = c.req.header("cf-connecting-ip");
  return address === undefined ? key : { ...key, caller: { ...key.caller, address } };
}

/** The object's usual checks run first, because they take precedence over 404 and 405. */
async function answerUnmatched(c: AppContext, methods: string | null): Promise<Response> {
  const key = keyOf(c);
  if (key === null) return refuseKey(c, portugueseFailure);
  const flags = { mutating: false, counted: false, cached: false };
  const answer = await callConnection(
    c.env,
    key.connection,
    callOf(c, key.caller, UNREAD, { flags, operation: null, shown: { caller: "key" } }),
  );
  setAnswerHeaders(c, answer);
  if (answer.ok) throw new Error("the object carried out a call without an operation");
  const isWrongMethod = answer.failure.code === "route_not_found" && methods !== null;
  return refuse(c, isWrongMethod ? wrongMethod(c, methods) : answer.failure);
}

// Connection API authentication without a storage read (docs/internals/admission.md, "Connection API keys").

/** `X-Api-Key` takes precedence even if empty. Trims trailing white space, and refuses repeated headers, which the runtime joins. */
function presentedKey(headers: Headers): string | null {
  const apiKey = headers.get("x-api-key");
  if (apiKey !== null) return apiKey.trim();
  const bearer = /^bearer[ \t]+(.*)$/i.exec((headers.get("authorization") ?? "").trim());
  return bearer?.[1] ?? null;
}

/** The connection identified by a signed key; null if the key is missing, malformed or forged. Reads no storage. */
function knownKey(secrets: VersionedSecrets, headers: Headers): KnownKey | null {
  const key = presentedKey(headers);
  if (key === null) return null;
  const cached = verifiedKeys.get(key);
  if (cached?.secrets === secrets) return cached;
  const parsed = parseKey(secrets, key);
  if (parsed === null) return null;
  const verified = { secrets, ...parsed, caller: { kind: "connection_key", hash: keyHash(key) } } as const;
  verifiedKeys.set(key, verified);
  return verified;
}

/** Keys whose signature this isolate has verified. Only the object knows whether a key was revoked. */
const verifiedKeys = new LRUCache<string, KnownKey & { secrets: VersionedSecrets }>({ max: 10_000 });
