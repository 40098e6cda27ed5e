// Sign-in through an external issuer. Failures redirect to `/sign-in?error=<failure code>&request=<id>&to=<path>`.
import { Hono } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { CookieOptions } from "hono/utils/cookie";
import * as z from "zod";
import { pathWithin } from "@gateway/domain/people/signing-in.ts";
import { settingsOf } from "#root/src/env.ts";
import type { AppContext, AppEnv } from "#root/src/http/app-env.ts";
import { englishFailure } from "#root/src/http/english-failure.ts";
import { errorFields, log } from "#root/src/log.ts";
import type { FailureCode } from "@gateway/protocol/failures.ts";
import { countRequest } from "#root/src/services/identity/address-guards.ts";
import { beginSignIn, finishSignIn, type SignInAttempt } from "#root/src/services/identity/issuer.ts";
import { openOutsideSession } from "#root/src/services/identity/sessions.ts";
import { provisionUser } from "#root/src/services/users/provision.ts";
import { clientAddress } from "./auth-routes.ts";

const ATTEMPT_COOKIE = "gateway.sign_in";
const ATTEMPT_SECONDS = 600;

const Attempt = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), to: z.string() });
type Attempt = SignInAttempt & { to: string };

export function signInRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.get("/", (c) => counted(c, "/sign-in", begin));
  routes.get("/callback", (c) => counted(c, "/sign-in/callback", finish));
  routes.all("*", (c) => englishFailure(c, "route_not_found"));
  return routes;
}

async function counted(c: AppContext, path: string, act: (c: AppContext) => Promise<Response>): Promise<Response> {
  c.get("facts").route = `/api/dashboard${path}`;
  const { APP_URL, IDENTITY_ISSUER, IDENTITY_CLIENT_ID } = settingsOf(c.env);
  const to = pathWithin(c.req.query("to"), APP_URL);
  if (IDENTITY_ISSUER === "") return c.redirect(pageOf(to));
  if (IDENTITY_CLIENT_ID === "") return refused(c, "not_supported", to);
  const verdict = await countRequest(c.env, clientAddress(c), ["requests"]);
  return verdict.blocked ? refused(c, "rate_limited", to) : act(c);
}

async function begin(c: AppContext): Promise<Response> {
  const to = pathWithin(c.req.query("to"), settingsOf(c.env).APP_URL);
  try {
    const { attempt, page } = await beginSignIn(c.env);
    storeAttempt(c, { ...attempt, to });
    return c.redirect(page);
  } catch (error) {
    return unreachable(c, error, to);
  }
}

async function finish(c: AppContext): Promise<Response> {
  const attempt = storedAttempt(c);
  // The cookie can be used only once, whatever the outcome.
  deleteCookie(c, ATTEMPT_COOKIE, cookieOptions(c));
  if (attempt === null) return refused(c, "unauthorized", "/");
  const { to } = attempt;
  try {
    const bearer = await finishSignIn(c.env, new URL(c.req.url).searchParams, attempt);
    const user = bearer === null ? null : await provisionUser(c.env, bearer);
    if (user === null) return refused(c, "unauthorized", to);
    if (user.status !== "active") return refused(c, "account_suspended", to);
    c.get("facts").user = user.id;
    for (const cookie of await openOutsideSession(c.env, user.id, c.req.raw.headers)) c.header("Set-Cookie", cookie, { append: true });
    return c.redirect(to);
  } catch (error) {
    return unreachable(c, error, to);
  }
}

function unreachable(c: AppContext, error: unknown, to: string): Response {
  log("identity.issuer_failed", { request: c.get("requestId"), ...errorFields(error) });
  return refused(c, "unavailable", to);
}

function refused(c: AppContext, code: FailureCode, to: string): Response {
  c.get("facts").code = code;
  return c.redirect(pageOf(to, { error: code, request: c.get("requestId") }));
}

function pageOf(to: string, problem: Record<string, string> = {}): string {
  const query = new URLSearchParams({ ...problem, ...(to === "/" ? {} : { to }) }).toString();
  return query === "" ? "/sign-in" : `/sign-in?${query}`;
}

function storeAttempt(c: AppContext, attempt: Attempt): void {
  setCookie(c, ATTEMPT_COOKIE, btoa(JSON.stringify(attempt)), { ...cookieOptions(c), maxAge: ATTEMPT_SECONDS } as CookieOptions);
}

function storedAttempt(c: AppContext): Attempt | null {
  const written = isHttps(c) ? getCookie(c, ATTEMPT_COOKIE, "host") : getCookie(c, ATTEMPT_COOKIE);
  if (written === undefined) return null;
  try {
    const read = Attempt.safeParse(JSON.parse(atob(written)));
    // Validates the value again, because it comes back from the browser.
    return read.success ? { ...read.data, to: pathWithin(read.data.to, settingsOf(c.env).APP_URL) } : null;
  } catch {
    return null;
  }
}

function cookieOptions(c: AppContext): CookieOptions {
  const everywhere = { path: "/", httpOnly: true, sameSite: "Lax" } as const;
  return isHttps(c) ? { ...everywhere, secure: true, prefix: "host" } : everywhere;
}

function isHttps(c: AppContext): boolean {
  return settingsOf(c.env).APP_URL.startsWith("https://");
}
