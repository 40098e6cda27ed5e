// Plain HTTP is refused, never redirected: a client that follows redirects would not notice its exposed credentials.
import type { MiddlewareHandler } from "hono";
import type { AppContext, AppEnv } from "./app-env.ts";

export function httpsOnly(allowed: (url: URL) => boolean, refuse: (c: AppContext) => Response): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    // Checked first, because parsing the URL costs more than this comparison.
    if (c.req.url.startsWith("http:") && !allowed(new URL(c.req.url))) return refuse(c);
    return next();
  };
}

export const never = (): boolean => false;
