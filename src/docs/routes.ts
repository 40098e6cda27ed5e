// `/docs`, `/docs/<surface>.json` and `/llms.txt` are public and the same for everybody (docs/use/connection-api.md, "Public pages").
import { Hono } from "hono";
import { setCookie } from "hono/cookie";
import { detectFromCookie, detectFromHeader, detectFromQuery, type DetectorOptions } from "hono/language";
import type { AppContext, AppEnv } from "../http/app-env.ts";
import { englishFailure } from "../http/english-failure.ts";
import { documentFile, HELP, LLMS_FILE, NONCE, preparedPart, readingFile, servePrepared } from "../http/openapi/prepared.ts";
import { API_TITLES, type Language } from "../http/openapi/text.ts";
import { FIRST, hrefOf } from "./addresses.ts";

const APIS = new Set(Object.keys(API_TITLES));
const PAGES = new Set([...APIS, HELP]);

const OPTIONS: DetectorOptions = {
  supportedLanguages: ["en", "pt"] satisfies Language[],
  fallbackLanguage: "en" satisfies Language,
  lookupQueryString: "lang",
  lookupCookie: "docs_language",
  lookupFromHeaderKey: "accept-language",
  lookupFromPathIndex: 0,
  order: ["querystring", "cookie", "header"],
  caches: false,
  ignoreCase: true,
};
const YEAR_SECONDS = 365 * 86_400;

/** The language of pages. If the URL specifies a language, a cookie stores it. */
function languageOfReader(c: AppContext): Language {
  const chosen = detectFromQuery(c, OPTIONS);
  if (chosen === undefined) return known(detectFromCookie(c, OPTIONS) ?? detectFromHeader(c, OPTIONS));
  const secure = c.req.url.startsWith("https:");
  setCookie(c, OPTIONS.lookupCookie, chosen, { path: "/docs", maxAge: YEAR_SECONDS, sameSite: "Lax", httpOnly: true, secure });
  return known(chosen);
}

/** The language of machine-readable documents: English unless the URL specifies another. */
function languageOfDocument(c: AppContext): Language {
  return known(detectFromQuery(c, OPTIONS));
}

function known(language: string | undefined): Language {
  return language === "pt" ? "pt" : "en";
}

/** The component needs style elements and style attributes. The elements carry the nonce, but a nonce does not work for attributes. */
const policyWith = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src-elem 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "media-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

/** The same headers that dashboard/public/_headers sets for static files. */
const PAGE_HEADERS = {
  "Strict-Transport-Security": "max-age=31536000",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
};

export function docsRoutes(): Hono<AppEnv> {
  const docs = new Hono<AppEnv>();
  docs.get("/", (c) => page(c, FIRST));
  docs.get("/:name{[a-z]+\\.json}", (c) => json(c, c.req.param("name").replace(".json", "")));
  docs.get("/:name{[a-z]+}", (c) => page(c, c.req.param("name")));
  docs.get("/:guide", (c) => chapter(c, FIRST, c.req.param("guide")));
  docs.get("/:name/:guide", (c) => chapter(c, c.req.param("name"), c.req.param("guide")));
  docs.all("*", missing);
  return docs;
}

/** Serves the first tab's document at the address where programs look for an API description. */
export function firstDocument(c: AppContext): Promise<Response> {
  return json(c, FIRST);
}

export async function llms(c: AppContext): Promise<Response> {
  c.get("facts").route = "/llms.txt";
  return servePrepared(c, LLMS_FILE, "text/plain; charset=UTF-8");
}

async function json(c: AppContext, name: string): Promise<Response> {
  if (!APIS.has(name)) return missing(c);
  c.get("facts").route = `/docs/${name}.json`;
  // API explorers on other origins fetch the description, so any origin is allowed.
  c.header("Access-Control-Allow-Origin", "*");
  return servePrepared(c, documentFile(name, languageOfDocument(c)), "application/json");
}

async function page(c: AppContext, name: string, status: 200 | 404 = 200): Promise<Response> {
  const language = languageOfReader(c);
  if (!PAGES.has(name)) return chapter(c, FIRST, name);
  c.get("facts").route = "/docs";
  const nonce = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))));
  const shown = (await preparedPart(c.env, readingFile(name, language))).replace(NONCE, nonce);
  // The nonce is valid for one response only.
  return c.html(shown, status, { ...PAGE_HEADERS, "Cache-Control": "no-store", "Content-Security-Policy": policyWith(nonce) });
}

/** A path that ends in a guide's name, such as `/docs/webhooks`, leads to its chapter. */
async function chapter(c: AppContext, name: string, guide: string): Promise<Response> {
  if (!PAGES.has(name) || !/^[\p{L}\d-]+$/u.test(guide)) return missing(c);
  for (const language of new Set<Language>([languageOfReader(c), "en", "pt"])) {
    const text = await preparedPart(c.env, readingFile(name, language));
    const [, slug] = new RegExp(`id="(description/${guide}(?:-[^"]*)?)"`).exec(text) ?? [];
    if (slug !== undefined) return c.redirect(`${hrefOf(name)}?lang=${language}#${encodeURI(slug)}`);
  }
  return missing(c);
}

/** A browser gets the guides, whose script says that the address does not exist. */
function missing(c: AppContext): Response | Promise<Response> {
  if (c.req.header("accept")?.includes("text/html")) return page(c, FIRST, 404);
  c.get("facts").route = "/docs/*";
  return englishFailure(c, "route_not_found");
}
