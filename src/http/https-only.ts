// "All requests must use HTTPS; plain HTTP requests are rejected" (docs/operate/security.md, "HTTPS only"). Never a redirect: the
// credentials have already crossed the network in the clear, and a client that follows would never notice.
import type { MiddlewareHandler } from "hono";
import type { AppContext, AppEnv } from "./app-env.ts";

/** `allowed`: where plain HTTP is fine (the sandbox's loopback); `refuse` answers in the words of the surface asked. */
export function httpsOnly(allowed: (url: URL) => boolean, refuse: (c: AppContext) => Response): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    // Cheap check first: parsing a URL costs more than comparing its beginning.
    if (c.req.url.startsWith("http:") && !allowed(new URL(c.req.url))) return refuse(c);
    return next();
  };
}

export const never = (): boolean => false;
