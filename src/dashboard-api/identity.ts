// `/api/auth/*`: signing up, in and out, access tokens and their public keys, by the embedded identity provider. Only the routes of this
// table reach the library, and only with a body that has been checked: whoever calls has shown no credential yet.
import { Hono } from "hono";
import { z } from "zod";
import { settingsOf } from "../env.ts";
import type { AppContext, AppEnv } from "../http/app-env.ts";
import { englishFailure } from "../http/english-failure.ts";
import { honoPath } from "../http/path-pattern.ts";
import { identityProvider } from "../services/identity/provider.ts";
import { readFields } from "./fields.ts";

const email = z.string().max(254);
const name = z.string().trim().min(1).max(100);
const password = z.string().max(128);
const token = z.string().max(256);
/** Where the browser goes afterwards; the library checks that it is ours. */
const url = z.string().max(2048).optional();

/** `body` null: none is passed on. */
type IdentityRoute = { method: "GET" | "POST"; path: string; body: z.ZodType | null };

export const IDENTITY_ROUTES: readonly IdentityRoute[] = [
  { method: "POST", path: "/sign-up/email", body: z.strictObject({ email, password, name, callbackURL: url }) },
  {
    method: "POST",
    path: "/sign-in/email",
    body: z.strictObject({ email, password, callbackURL: url, rememberMe: z.boolean().optional() }),
  },
  { method: "POST", path: "/sign-out", body: z.strictObject({}) },
  { method: "GET", path: "/verify-email", body: null },
  { method: "POST", path: "/send-verification-email", body: z.strictObject({ email, callbackURL: url }) },
  { method: "POST", path: "/request-password-reset", body: z.strictObject({ email, redirectTo: url }) },
  { method: "GET", path: "/reset-password/{token}", body: null },
  { method: "POST", path: "/reset-password", body: z.strictObject({ newPassword: password, token: token.optional() }) },
  {
    method: "POST",
    path: "/change-password",
    body: z.strictObject({ newPassword: password, currentPassword: password, revokeOtherSessions: z.boolean().optional() }),
  },
  { method: "POST", path: "/update-user", body: z.strictObject({ name }) },
  { method: "GET", path: "/get-session", body: null },
  { method: "GET", path: "/token", body: null },
  { method: "GET", path: "/jwks", body: null },
  // Where the library sends a browser whose link is wrong or used up.
  { method: "GET", path: "/error", body: null },
];

/** 404 when the deployment uses an external issuer. */
export function identityRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  for (const row of IDENTITY_ROUTES) {
    routes.on(row.method, honoPath(row.path), (c) => {
      c.var.facts.route = `/api/auth${row.path}`;
      return settingsOf(c.env).IDENTITY_ISSUER === "" ? passOn(c, row) : englishFailure(c, "route_not_found");
    });
  }
  routes.all("*", (c) => {
    c.var.facts.route = "/api/auth/*";
    return englishFailure(c, "route_not_found");
  });
  return routes;
}

async function passOn(c: AppContext, { method, body }: IdentityRoute): Promise<Response> {
  const headers = new Headers(c.req.raw.headers);
  const fields = body === null ? null : await readFields(c, body);
  if (fields !== null && !fields.ok) return englishFailure(c, fields.failure);
  const sent = fields === null ? {} : { body: JSON.stringify(fields.value) };
  headers.delete("content-length");
  const answer = await identityProvider(c.env).handler(new Request(c.req.url, { method, headers, ...sent }));
  return new Response(answer.body, answer);
}
