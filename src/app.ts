import { type Handler, Hono, type MiddlewareHandler } from "hono";
// Keep these three first: the bundle of the worker is 0.6 KiB smaller in this order.
import { CLOUD_WEBHOOK, cloudWebhookRoutes } from "./internal/cloud-webhook.ts";
import { internalRoutes } from "./internal/routes.ts";
import { publicMedia } from "./internal/public-media.ts";
import { portugueseFailure } from "./api/connection/failure.ts";
import { docsRoutes, firstDocument, llms } from "./docs/routes.ts";
import type { Env } from "./env.ts";
import type { AppContext, AppEnv } from "./http/app-env.ts";
import { englishFailure } from "./http/english-failure.ts";
import { httpsOnly } from "./http/response-headers.ts";
import { requestLog, type WriteLine, writeLine } from "./http/request-log.ts";
import { failureOfException } from "./services/exceptions.ts";
import { identityRoutes } from "./api/dashboard/auth-routes.ts";
import { passwordPage } from "./api/dashboard/password-page.ts";
import { signInRoutes } from "./api/dashboard/sign-in.ts";
import { PAIRING_PAGE } from "./domain/keys/pairing-token.ts";
import { PASSWORD_PAGE } from "./domain/keys/password-link.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import { DISCARD_OF_BLOCKED, DISCARD_OF_STRANGERS, IncomingBody } from "./http/body/incoming-body.ts";

/** The platform reads a body of this size to its end even if the worker does not. */
const READ_BY_PLATFORM_BYTES = LIMITS.unscreenedBytes;

/** Reads and discards an unread body, so that the client sees the response. For blocked addresses, discards only a few bytes. */
const discardUnread: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  const { body, bodyUsed } = c.req.raw;
  if (body === null || bodyUsed || body.locked) return;
  const unread = new IncomingBody(c.req.raw);
  if ((unread.declaredBytes ?? Number.POSITIVE_INFINITY) > READ_BY_PLATFORM_BYTES) {
    const isBlocked = c.get("facts").code === "too_many_attempts";
    await unread.discard(isBlocked ? DISCARD_OF_BLOCKED : DISCARD_OF_STRANGERS);
  }
};

export type AppOptions = {
  /** Always false in production. The sandbox allows loopback. */
  plainHttpAllowed: (url: URL) => boolean;
  /** True if files may be fetched from loopback addresses. If absent, they never may. */
  allowsLoopback?: (env: Env) => boolean;
  writeLine?: WriteLine;
  /** A deployment's extra routes, mounted before all others. */
  extend?: (app: Hono<AppEnv>) => void;
};

const CONNECTION_API = "/api/v1";
const ACCOUNT_API = "/api";
const DASHBOARD_API = "/api/dashboard";

const HIDDEN = { "Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex" };

export function createApp(options: AppOptions): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.use(requestLog(options.writeLine ?? writeLine));
  app.use(discardUnread);
  app.use(httpsOnly(options.plainHttpAllowed, refusePlainHttp));
  app.use(async (c, next) => {
    c.set("allowsLoopback", options.allowsLoopback?.(c.env) ?? false);
    await next();
  });
  for (const path of [`${DASHBOARD_API}/*`, "/api/auth/*"]) app.use(path, noStore);
  options.extend?.(app);
  app.all(
    `${CONNECTION_API}/*`,
    late(async () => (await import("./api/connection.ts")).connectionApi(CONNECTION_API)),
  );
  app.get("/api/midia/:name", publicMedia);
  app.route("/api/auth", identityRoutes());
  app.route(PASSWORD_PAGE, passwordPage());
  app.route(`${DASHBOARD_API}/sign-in`, signInRoutes());
  app.all(
    `${DASHBOARD_API}/*`,
    late(async () => (await import("./api/dashboard.ts")).dashboardApi(DASHBOARD_API)),
  );
  app.route(CLOUD_WEBHOOK, cloudWebhookRoutes());
  app.all(
    `${ACCOUNT_API}/*`,
    late(async () => (await import("./api/account.ts")).accountApi(ACCOUNT_API)),
  );
  app.all(
    "/mcp",
    late(async () => {
      const [{ mcp }, { assistantPort }] = await Promise.all([import("./mcp/server.ts"), import("./api/connection/assistant.ts")]);
      return mcp({ ...assistantPort, callApi: async (request, c) => app.fetch(request, c.env, c.executionCtx) });
    }),
  );
  app.route("/internal", internalRoutes());
  app.route("/docs", docsRoutes());
  app.get("/llms.txt", llms);
  app.get("/openapi.json", firstDocument);
  app.notFound(staticFile);
  app.onError((error, c) => englishFailure(c, failureOfException(error)));
  return app;
}

/**
 * Loads an API when a request first needs it. Most isolates serve only one, and building schemas takes longer than many requests.
 * Keeps no promise, because a request must not wait for another request's promise, which may be cancelled.
 */
function late(load: () => Promise<Handler<AppEnv>>): Handler<AppEnv> {
  let loaded: Handler<AppEnv> | undefined;
  return async (c, next) => {
    loaded ??= await load();
    return loaded(c, next);
  };
}

function refusePlainHttp(c: AppContext): Response {
  c.get("facts").route = "http";
  return c.req.path.startsWith(CONNECTION_API) ? portugueseFailure(c, "https_required") : englishFailure(c, "https_required");
}

/** Sets the no-store and nosniff headers on responses that are shown to people. */
const noStore: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  c.res.headers.set("Cache-Control", "no-store");
  c.res.headers.set("X-Content-Type-Options", "nosniff");
  // The header is set explicitly, because clients compute the expiry of QR codes and links from the `Date` header.
  c.res.headers.set("Date", new Date().toUTCString());
};

/** The platform answers `/assets/*` when the file exists. Every other browser URL is a dashboard page. */
async function staticFile(c: AppContext): Promise<Response> {
  c.get("facts").route = "asset";
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  const found = isRead ? await c.env.ASSETS?.fetch(c.req.raw) : undefined;
  if (found !== undefined && found.status !== 404) return found;
  if (isRead && opensPage(c)) {
    const page = await c.env.ASSETS?.fetch(new Request(new URL("/", c.req.url), c.req.raw));
    if (page !== undefined && page.status < 400) return c.req.path === PAIRING_PAGE ? hidden(page) : page;
  }
  // The response for a missing file from an earlier deployment is not cached, because the page reloads and requests the new files.
  c.header("Cache-Control", "no-store");
  return englishFailure(c, "route_not_found");
}

function hidden(page: Response): Response {
  const response = new Response(page.body, page);
  for (const [name, value] of Object.entries(HIDDEN)) response.headers.set(name, value);
  return response;
}

function opensPage(c: AppContext): boolean {
  return !c.req.path.startsWith("/assets/") && c.req.header("accept")?.includes("text/html") === true;
}
