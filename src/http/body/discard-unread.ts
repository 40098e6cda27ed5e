// For answers given before the body was read: no credentials, unknown routes, no body wanted.
import type { MiddlewareHandler } from "hono";
import { LIMITS } from "@gateway/domain/limits.ts";
import type { AppEnv } from "../app-env.ts";
import { DISCARD_OF_BLOCKED, DISCARD_OF_STRANGERS, IncomingBody } from "./incoming-body.ts";

/** The platform itself takes this many bytes. */
const TAKEN_ANYWAY_BYTES = LIMITS.unscreenedBytes;

/** Discards an unread body, so that the client sees the answer; only a little for blocked addresses. */
export const discardUnread: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  const { body, bodyUsed } = c.req.raw;
  if (body === null || bodyUsed || body.locked) return;
  const unread = new IncomingBody(c.req.raw);
  if ((unread.declaredBytes ?? Number.POSITIVE_INFINITY) > TAKEN_ANYWAY_BYTES) {
    const isBlocked = c.get("facts").code === "too_many_attempts";
    await unread.discard(isBlocked ? DISCARD_OF_BLOCKED : DISCARD_OF_STRANGERS);
  }
};
