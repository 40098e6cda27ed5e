// `/docs`, `/docs/<surface>.json` and `/llms.txt`: public and the same for everybody (docs/use/connection-api.md, "Public pages").
import { Hono } from "hono";
import { type Settings, settingsOf } from "../env.ts";
import type { AppContext, AppEnv } from "../http/app-env.ts";
import { englishFailure } from "../http/english-failure.ts";
import { llmsText } from "./llms.ts";
import { referencePage } from "./reference-page.ts";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { setCookie } from "hono/cookie";
import { detectFromCookie, detectFromHeader, detectFromQuery, type DetectorOptions } from "hono/language";
import type { Language } from "../http/openapi/text.ts";
import { accountDocument } from "../api/docs/account/document.ts";
import { FAMILIES } from "../api/account/routes.ts";
import { connectionDocument } from "../api/docs/connection/document.ts";
import type { OpenApiDocument } from "../http/openapi/shape.ts";

const GENERATORS: Readonly<Record<string, (settings: Settings, language: Language) => OpenApiDocument>> = {
  connection: ({ APP_URL }, language) => connectionDocument(APP_URL, language),
  account: ({ BASE_URL }, language) => accountDocument(BASE_URL, FAMILIES, language),
};

const DOCUMENT_NAMES: readonly string[] = Object.keys(GENERATORS);

const generated = new WeakMap<Settings, Map<string, OpenApiDocument>>();

function documentNamed(name: string, settings: Settings, language: Language): OpenApiDocument | null {
  const generate = Object.hasOwn(GENERATORS, name) ? GENERATORS[name] : undefined;
  if (generate === undefined) return null;
  const known = generated.get(settings) ?? new Map<string, OpenApiDocument>();
  generated.set(settings, known);
  const key = `${name} ${language}`;
  const document = known.get(key) ?? generate(settings, language);
  known.set(key, document);
  return document;
}

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

/** For pages: remembers a language that the URL names. */
function languageOfReader(c: AppContext): Language {
  const chosen = detectFromQuery(c, OPTIONS);
  if (chosen === undefined) return known(detectFromCookie(c, OPTIONS) ?? detectFromHeader(c, OPTIONS));
  const secure = c.req.url.startsWith("https:");
  setCookie(c, OPTIONS.lookupCookie, chosen, { path: "/docs", maxAge: YEAR_SECONDS, sameSite: "Lax", httpOnly: true, secure });
  return known(chosen);
}

/** For programs: English unless the URL names another language. */
function languageOfDocument(c: AppContext): Language {
  return known(detectFromQuery(c, OPTIONS));
}

function known(language: string | undefined): Language {
  return language === "pt" ? "pt" : "en";
}

type CachedText = { bytes: Uint8Array<ArrayBuffer>; etag: string };

const cached = new WeakMap<Settings, Map<string, CachedText>>();

function cachedText(settings: Settings, name: string, write: () => string): CachedText {
  const texts = cached.get(settings) ?? new Map<string, CachedText>();
  cached.set(settings, texts);
  const known = texts.get(name);
  if (known !== undefined) return known;
  const bytes = new Uint8Array(utf8ToBytes(write()));
  const text = { bytes, etag: `"${bytesToHex(sha256(bytes)).slice(0, 32)}"` };
  texts.set(name, text);
  return text;
}

const [FIRST = ""] = DOCUMENT_NAMES;
const CACHE_CONTROL = "public, max-age=300";

/**
 * The component needs two exceptions for styles: style elements, which carry the nonce, and style attributes, for which a nonce does not
 * work.
 */
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

/** Same headers as dashboard/public/_headers sets for static files. */
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
  docs.all("*", missing);
  return docs;
}

export function llms(c: AppContext): Response {
  c.var.facts.route = "/llms.txt";
  const settings = settingsOf(c.env);
  const text = cachedText(settings, "llms.txt", () =>
    llmsText(
      DOCUMENT_NAMES.flatMap((name) => {
        const document = documentNamed(name, settings, "en");
        return document === null ? [] : [{ document, href: `${settings.APP_URL}/docs/${name}.json` }];
      }),
    ),
  );
  return publicText(c, text, "text/plain; charset=UTF-8");
}

function json(c: AppContext, name: string): Response {
  const [settings, language] = [settingsOf(c.env), languageOfDocument(c)];
  const document = documentNamed(name, settings, language);
  if (document === null) return missing(c);
  c.var.facts.route = `/docs/${name}.json`;
  const text = cachedText(settings, `${name} ${language}`, () => JSON.stringify(document));
  // API explorers on other origins fetch the description, so allow any origin.
  c.header("Access-Control-Allow-Origin", "*");
  return publicText(c, text, "application/json");
}

/** Returns 304 if the reader's copy is current. The platform compresses the text. */
function publicText(c: AppContext, { bytes, etag }: CachedText, type: string): Response {
  const headers = { "Cache-Control": CACHE_CONTROL, "X-Content-Type-Options": "nosniff", ETag: etag };
  // A proxy that compresses the response makes the tag weak.
  const known = new Set((c.req.header("if-none-match") ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, "")));
  if (known.has(etag) || known.has("*")) return c.body(null, 304, headers);
  return c.body(bytes, 200, { ...headers, "Content-Type": type });
}

async function page(c: AppContext, name: string): Promise<Response> {
  const language = languageOfReader(c);
  const settings = settingsOf(c.env);
  const document = documentNamed(name, settings, language);
  if (document === null) return missing(c);
  c.var.facts.route = "/docs";
  const nonce = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))));
  const hrefOf = (of: string) => (of === FIRST ? "/docs" : `/docs/${of}`);
  const shown = await referencePage({
    title: document.info.title,
    language,
    documentHref: `/docs/${name}.json?lang=${language}`,
    languages: (["pt", "en"] as const).map((each) => ({ language: each, href: `${hrefOf(name)}?lang=${each}` })),
    tabs: DOCUMENT_NAMES.map((each) => ({ title: titleOf(each, settings, language), href: hrefOf(each), isCurrent: each === name })),
    nonce,
  });
  // The nonce is valid for one response only.
  return c.html(shown, 200, { ...PAGE_HEADERS, "Cache-Control": "no-store", "Content-Security-Policy": policyWith(nonce) });
}

function titleOf(name: string, settings: Settings, language: "en" | "pt"): string {
  return documentNamed(name, settings, language)?.info.title ?? name;
}

function missing(c: AppContext): Response {
  c.var.facts.route = "/docs/*";
  return englishFailure(c, "route_not_found");
}
