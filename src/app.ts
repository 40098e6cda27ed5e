// All routes of the worker: middleware, then the APIs.
import { Hono, type MiddlewareHandler } from "hono";
import { ACCOUNT_API, accountApi } from "./api/account.ts";
import { CONNECTION_API, connectionApi } from "./api/connection.ts";
import { portugueseFailure } from "./api/connection/failure.ts";
import { DASHBOARD_API, dashboardApi } from "./api/dashboard.ts";
import { docsRoutes, llms } from "./docs/routes.ts";
import type { Env } from "./env.ts";
import type { AppContext, AppEnv } from "./http/app-env.ts";
import { discardUnread } from "./http/body/discard-unread.ts";
import { englishFailure } from "./http/english-failure.ts";
import { httpsOnly } from "./http/https-only.ts";
import { requestLog, type WriteLine, writeLine } from "./http/request-log.ts";
import { failureOfException } from "./services/object-stubs.ts";
import { CLOUD_WEBHOOK, cloudWebhookRoutes } from "./internal/cloud-webhook.ts";
import { internalRoutes } from "./internal/routes.ts";
import { publicMedia } from "./internal/public-media.ts";
import { identityRoutes } from "./api/dashboard/identity.ts";
import { passwordPage } from "./api/dashboard/password-page.ts";
import { signInRoutes } from "./api/dashboard/sign-in.ts";
import { PAIRING_PAGE } from "./domain/keys/pairing-token.ts";
import { PASSWORD_PAGE } from "./domain/keys/password-link.ts";

export type AppOptions = {
  /** Where plain HTTP is fine: nowhere in production, on loopback in the sandbox. */
  plainHttpAllowed: (url: URL) => boolean;
  /** Whether files may be fetched from loopback addresses; absent: never. */
  loopbackFiles?: (env: Env) => boolean;
  /** Receives the log line of each request; absent: written to the platform's log. */
  writeLine?: WriteLine;
  /** Routes of this deployment alone, mounted before the others. */
  extend?: (app: Hono<AppEnv>) => void;
};

const HIDDEN = { "Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex" };

export function createApp(options: AppOptions): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.use(requestLog(options.writeLine ?? writeLine));
  app.use(discardUnread);
  app.use(httpsOnly(options.plainHttpAllowed, refusePlainHttp));
  app.use(async (c, next) => {
    c.set("loopbackFiles", options.loopbackFiles?.(c.env) ?? false);
    await next();
  });
  for (const path of [`${DASHBOARD_API}/*`, "/api/auth/*"]) app.use(path, keptByNobody);
  options.extend?.(app);
  app.route(CONNECTION_API, connectionApi());
  app.get("/api/midia/:name", publicMedia);
  app.route("/api/auth", identityRoutes());
  app.route(PASSWORD_PAGE, passwordPage());
  app.route(`${DASHBOARD_API}/sign-in`, signInRoutes());
  app.route(DASHBOARD_API, dashboardApi());
  app.route(CLOUD_WEBHOOK, cloudWebhookRoutes());
  app.route(ACCOUNT_API, accountApi());
  app.route("/internal", internalRoutes());
  app.route("/docs", docsRoutes());
  app.get("/llms.txt", llms);
  app.notFound(staticFile);
  app.onError((error, c) => englishFailure(c, failureOfException(error)));
  return app;
}

function refusePlainHttp(c: AppContext): Response {
  c.get("facts").route = "http";
  return c.req.path.startsWith(CONNECTION_API) ? portugueseFailure(c, "https_required") : englishFailure(c, "https_required");
}

/** What is answered to a person: no cache keeps it, and no browser takes it for anything but what its type says. */
const keptByNobody: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  c.res.headers.set("Cache-Control", "no-store");
  c.res.headers.set("X-Content-Type-Options", "nosniff");
  // Counted by this clock is what runs out: a QR, a code, a link. The platform's own front says it anyway.
  c.res.headers.set("Date", new Date().toUTCString());
};

/**
 * The static files of dist/assets, with the headers of its `_headers`; the platform answers `/assets/*` itself when it has the file. Every
 * other address that a browser opens is one of the dashboard's own.
 */
async function staticFile(c: AppContext): Promise<Response> {
  c.get("facts").route = "asset";
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  const found = isRead ? await c.env.ASSETS?.fetch(c.req.raw) : undefined;
  if (found !== undefined && found.status !== 404) return found;
  if (isRead && opensPage(c)) {
    const page = await c.env.ASSETS?.fetch(new Request(new URL("/", c.req.url), c.req.raw));
    // 304 when the browser has it already.
    if (page !== undefined && page.status < 400) return c.req.path === PAIRING_PAGE ? hidden(page) : page;
  }
  // A file of an earlier deployment must not be remembered as missing: the page is loaded again, and asks for others.
  c.header("Cache-Control", "no-store");
  return englishFailure(c, "route_not_found");
}

/** A page that nobody finds, keeps or names to others. */
function hidden(page: Response): Response {
  const answer = new Response(page.body, page);
  for (const [name, value] of Object.entries(HIDDEN)) answer.headers.set(name, value);
  return answer;
}

function opensPage(c: AppContext): boolean {
  return !c.req.path.startsWith("/assets/") && c.req.header("accept")?.includes("text/html") === true;
}
