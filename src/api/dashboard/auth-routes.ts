// `/api/auth/*` serves accounts and access tokens. Only this table's routes, with validated bodies, reach the library.
import { fieldIssue } from "@gateway/domain/failures/field-problems.ts";
import { Hono } from "hono";
import * as z from "zod";
import { emailAddress } from "@gateway/domain/people/names-and-emails.ts";
import { retryAfterSeconds } from "@gateway/domain/admission/sliding-window.ts";
import { settingsOf } from "#root/src/env.ts";
import type { AppContext, AppEnv } from "#root/src/http/app-env.ts";
import { englishFailure } from "#root/src/http/english-failure.ts";
import { errorFields, log } from "#root/src/log.ts";
import type { Failure } from "@gateway/protocol/failures.ts";
import { claimSignIn, countMail, countRequest, signedInFrom } from "#root/src/services/identity/address-guards.ts";
import { passwordChangedMail } from "#root/src/services/identity/mails.ts";
import { choosePassword, sendPasswordLink } from "#root/src/services/identity/password-links.ts";
import { withProvider } from "#root/src/services/identity/provider.ts";
import { endStreams } from "#root/src/services/accounts/guard.ts";
import { signedInSession, signedInUser } from "#root/src/services/identity/sessions.ts";
import { sendNoticeTo } from "#root/src/services/mail/owner-notices.ts";
import type { User } from "#root/src/services/users/user-table.ts";
import { isOurOrigin } from "./authenticate.ts";
import { name } from "./contract/common.ts";
import { readFields } from "./fields.ts";

const password = z.string().max(128);
const token = z.string().max(256);

type IdentityRoute<B extends z.ZodType = z.ZodType> = {
  method: "GET" | "POST";
  path: string;
  body: B | null;
  /** Counters for the client's address, in addition to the request count. */
  counted?: readonly ("attempts" | "mailRequests" | "signUps")[];
  act: (c: AppContext, fields: z.output<B>) => Promise<Response>;
};

function row<B extends z.ZodType>(route: IdentityRoute<B>): IdentityRoute {
  return route as unknown as IdentityRoute;
}

const read = (path: string): IdentityRoute => ({ method: "GET", path, body: null, act: (c) => askLibrary(c, null) });

export const IDENTITY_ROUTES: readonly IdentityRoute[] = [
  row({
    method: "POST",
    path: "/sign-up/email",
    // Ignores a password in the body, so that a stranger cannot choose the password for an address. The emailed link sets it.
    body: z.strictObject({ email: emailAddress, name, password: password.optional() }),
    counted: ["mailRequests", "signUps"],
    act: (c, fields) => mailLink(c, fields.email, fields.name),
  }),
  row({
    method: "POST",
    path: "/request-password-reset",
    body: z.strictObject({ email: emailAddress }),
    counted: ["mailRequests"],
    act: (c, fields) => mailLink(c, fields.email, null),
  }),
  row({
    method: "POST",
    path: "/reset-password",
    body: z.strictObject({ newPassword: password, token }),
    counted: ["attempts"],
    act: (c, fields) => resetPassword(c, fields),
  }),
  row({
    method: "POST",
    path: "/sign-in/email",
    body: z.strictObject({ email: emailAddress, password, rememberMe: z.boolean().optional() }),
    counted: ["attempts"],
    act: (c, fields) => attempt(c, fields.email, () => askLibrary(c, fields)),
  }),
  row({
    method: "POST",
    path: "/change-password",
    body: z.strictObject({ newPassword: password, currentPassword: password }),
    counted: ["attempts"],
    act: (c, fields) => changePassword(c, fields),
  }),
  row({ method: "POST", path: "/update-user", body: z.strictObject({ name }), act: (c, fields) => askLibrary(c, fields) }),
  row({ method: "POST", path: "/sign-out", body: z.strictObject({}), act: (c, fields) => signOut(c, fields) }),
  read("/get-session"),
  row({
    method: "GET",
    path: "/token",
    body: null,
    // The library would also accept a session of an issuer that is no longer configured.
    act: async (c) =>
      (await signedInSession(c.env, c.req.raw.headers)) === null ? englishFailure(c, "unauthorized") : askLibrary(c, null),
  }),
  read("/jwks"),
];

/** Routes return 404 when the deployment uses an external issuer. */
export function identityRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  for (const route of IDENTITY_ROUTES) routes.on(route.method, route.path, (c) => respond(c, route));
  routes.all("*", (c) => {
    c.get("facts").route = "/api/auth/*";
    return englishFailure(c, "route_not_found");
  });
  return routes;
}

async function respond(c: AppContext, { path, body, counted = [], act }: IdentityRoute): Promise<Response> {
  c.get("facts").route = `/api/auth${path}`;
  if (settingsOf(c.env).IDENTITY_ISSUER !== "") return englishFailure(c, "route_not_found");
  if (comesFromElsewhere(c)) return englishFailure(c, "forbidden");
  const verdict = await countRequest(c.env, clientAddress(c), ["requests", ...counted]);
  if (verdict.blocked) return tooMany(c, verdict, counted.includes("attempts") ? "too_many_attempts" : "rate_limited");
  const fields = body === null ? ({ ok: true, value: undefined } as const) : await readFields(c, body);
  return fields.ok ? act(c, fields.value) : englishFailure(c, fields.failure);
}

/** Repeats a check that the library makes too, because the library logs whatever it rejects. */
function comesFromElsewhere(c: AppContext): boolean {
  if (c.req.method === "GET" || c.req.method === "HEAD") return false;
  const from = c.req.header("origin") ?? c.req.header("referer");
  return from !== undefined && !(URL.canParse(from) && isOurOrigin(c, new URL(from).origin));
}

/** Returns the same response for every address. Decides only afterwards which email to send, if any. */
async function mailLink(c: AppContext, to: string, nameOfNew: string | null): Promise<Response> {
  const verdict = await countMail(c.env, to, "links");
  if (verdict.blocked) return tooMany(c, verdict, "rate_limited");
  inBackground(c, sendPasswordLink(c.env, to, nameOfNew, Date.now()));
  return c.json({ status: true, message: "If this address can be used, it will receive an email with a link to set the password." });
}

async function resetPassword(c: AppContext, fields: { token: string; newPassword: string }): Promise<Response> {
  const now = Date.now();
  const chosen = await choosePassword(c.env, { token: fields.token, password: fields.newPassword, name: null }, now);
  if (chosen.ok) {
    await passwordWasChosen(c, chosen.holder, now);
    return c.json({ status: true });
  }
  const issue = chosen.reason === "link_invalid" ? fieldIssue("token", "bad_link") : fieldIssue("newPassword", "bad_password");
  return englishFailure(c, { code: "validation_error", issues: [issue] });
}

/** Runs after an emailed link was used to set a password. The new password is valid even if a step here fails. */
export async function passwordWasChosen(c: AppContext, holder: User, now: number): Promise<void> {
  await logged(c, endStreams(c.env, holder.id));
  await logged(c, signedInFrom(c.env, holder.email, clientAddress(c), now));
  if (holder.emailVerified) noticeOfNewPassword(c, holder);
}

function noticeOfNewPassword(c: AppContext, { id, email }: Pick<User, "id" | "email">): void {
  inBackground(c, sendNoticeTo(c.env, id, passwordChangedMail(email, settingsOf(c.env).APP_URL)));
}

async function signOut(c: AppContext, fields: unknown): Promise<Response> {
  const session = await signedInSession(c.env, c.req.raw.headers);
  const response = await askLibrary(c, fields);
  if (response.ok && session !== null) await logged(c, endStreams(c.env, session.userId, { credential: `session:${session.id}` }));
  return response;
}

async function changePassword(c: AppContext, fields: { currentPassword: string; newPassword: string }): Promise<Response> {
  const user = await signedInUser(c.env, c.req.raw.headers);
  if (user === null) return englishFailure(c, "unauthorized");
  const response = await attempt(c, user.email, () => askLibrary(c, { ...fields, revokeOtherSessions: true }));
  // The user's other sessions have just ended, so this closes all streams. Clients that are still allowed reconnect.
  if (response.ok) await logged(c, endStreams(c.env, user.id));
  if (response.ok) noticeOfNewPassword(c, user);
  return response;
}

/** Counts the attempt before the password is checked, and removes it from the count if the sign-in succeeds. */
async function attempt(c: AppContext, account: string, act: () => Promise<Response>): Promise<Response> {
  const verdict = await claimSignIn(c.env, account, clientAddress(c));
  if (verdict.blocked) return tooMany(c, verdict, "too_many_attempts");
  const response = await act();
  if (response.ok) await logged(c, signedInFrom(c.env, account, clientAddress(c), verdict.claimedAt));
  return response;
}

/** Drops the query, so that no token is ever read from a URL. The session token stays in the cookie, out of reach of scripts. */
async function askLibrary(c: AppContext, fields: unknown): Promise<Response> {
  const headers = new Headers(c.req.raw.headers);
  headers.delete("content-length");
  const url = new URL(c.req.url);
  url.search = "";
  const sent = fields === null ? {} : { body: JSON.stringify(fields) };
  const request = new Request(url, { method: c.req.method === "HEAD" ? "GET" : c.req.method, headers, ...sent });
  const response = await withProvider(c.env, ({ handler }) => handler(request));
  if (!response.ok || c.req.path.endsWith("/token") || c.req.path.endsWith("/jwks")) return new Response(response.body, response);
  const json: unknown = await response.json();
  return new Response(JSON.stringify(withoutToken(json)), response);
}

function withoutToken(json: unknown): unknown {
  if (typeof json !== "object" || json === null) return json;
  const { token: _token, session, ...rest } = json as Record<string, unknown>;
  return session === undefined ? rest : { ...rest, session: withoutToken(session) };
}

function inBackground(c: AppContext, work: Promise<void>): void {
  c.executionCtx.waitUntil(logged(c, work));
}

/** Runs work that follows a committed change. A failure is logged but not returned. */
async function logged(c: AppContext, work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => log("identity.failed", { request: c.get("requestId"), ...errorFields(error) }));
}

function tooMany(c: AppContext, verdict: { retryAfterMs: number }, code: "rate_limited" | "too_many_attempts"): Response {
  return englishFailure(c, tooManyFailure(verdict, code));
}

export function tooManyFailure({ retryAfterMs }: { retryAfterMs: number }, code: "rate_limited" | "too_many_attempts"): Failure {
  return { code, retryAfter: retryAfterSeconds(retryAfterMs) };
}

/** Only the platform sets this header (docs/internals/admission.md, "Invalid keys"). */
export function clientAddress(c: AppContext): string {
  return c.req.header("cf-connecting-ip") ?? "unknown";
}
