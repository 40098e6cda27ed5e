// Connection API authentication without a storage read (docs/internals/admission.md, "Connection API keys").
import { keyHash, parseKey } from "@gateway/domain/keys/api-key.ts";
import type { VersionedSecrets } from "@gateway/domain/keys/secrets.ts";
import type { Failure } from "@gateway/protocol/failures.ts";
import { LruMap } from "@gateway/domain/lru-map.ts";
import { settingsOf } from "#root/src/env.ts";
import type { AppContext } from "#root/src/http/app-env.ts";
import { noteOldKey, refuseKey } from "#root/src/http/refuse-key.ts";
import type { KnownKey } from "../context.ts";
import { portugueseFailure } from "./failure.ts";

export function keyOf(c: AppContext): KnownKey | null {
  const key = knownKey(settingsOf(c.env).KEY_SECRET, c.req.raw.headers);
  if (key === null) return null;
  c.get("facts").connection = key.connection;
  noteOldKey(c, key.kid);
  const address = c.req.header("cf-connecting-ip");
  return address === undefined ? key : { ...key, caller: { ...key.caller, address } };
}

/** A revoked key gets the same response as a forged one. */
export function refuse(c: AppContext, failure: Failure): Response | Promise<Response> {
  return failure.code === "unauthorized" ? refuseKey(c, portugueseFailure) : portugueseFailure(c, failure);
}

/** `X-Api-Key` takes precedence even if empty. Trims trailing white space, and refuses repeated headers, which the runtime joins. */
function presentedKey(headers: Headers): string | null {
  const apiKey = headers.get("x-api-key");
  if (apiKey !== null) return apiKey.trim();
  const bearer = /^bearer[ \t]+(.*)$/i.exec((headers.get("authorization") ?? "").trim());
  return bearer?.[1] ?? null;
}

/** The connection that a signed key identifies. Null if the key is missing, malformed or forged. Reads no storage. */
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
const verifiedKeys = new LruMap<KnownKey & { secrets: VersionedSecrets }>(10_000);
