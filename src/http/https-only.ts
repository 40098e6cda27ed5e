// Plain HTTP is refused (docs/operate/security.md, "HTTPS only"), never redirected: the credentials have already crossed the network in
// clear text, and a client that follows redirects would not notice.
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
