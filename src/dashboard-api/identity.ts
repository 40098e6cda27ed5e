// `/api/auth/*`: signing up, in and out, access tokens and their public keys, by the embedded identity provider.
import { Hono } from "hono";
import { settingsOf } from "../env.ts";
import type { AppEnv } from "../http/app-env.ts";
import { englishFailure } from "../http/english-failure.ts";
import { identityProvider } from "../services/identity/provider.ts";

/** 404 when the deployment uses an external issuer. */
export function identityRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.all("*", async (c) => {
    c.var.facts.route = "/api/auth/*";
    if (settingsOf(c.env).IDENTITY_ISSUER !== "") return englishFailure(c, "route_not_found");
    const answer = await identityProvider(c.env).handler(c.req.raw);
    return new Response(answer.body, answer);
  });
  return routes;
}
