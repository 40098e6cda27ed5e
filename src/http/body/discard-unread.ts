// Answers given before the body was looked at: without credentials, for unknown routes, for a body where none is wanted.
import type { MiddlewareHandler } from "hono";
import { LIMITS } from "@gateway/domain/limits.ts";
import type { AppEnv } from "../app-env.ts";
import { DISCARD_OF_BLOCKED, DISCARD_OF_STRANGERS, IncomingBody } from "./incoming-body.ts";

/** So much of a body is taken in by the platform itself. */
const TAKEN_ANYWAY_BYTES = LIMITS.unscreenedBytes;

/** Reads and throws away an unread body before the answer goes out, so that the client sees it; little of it for blocked addresses. */
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
