// Language of the documentation: from the address, else the reader's last choice, else the browser.
import { setCookie } from "hono/cookie";
import { detectFromCookie, detectFromHeader, detectFromQuery, type DetectorOptions } from "hono/language";
import type { AppContext } from "../http/app-env.ts";
import type { Language } from "../http/openapi/text.ts";

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

/** For pages. Remembers a language in the address. */
export function languageOfReader(c: AppContext): Language {
  const chosen = detectFromQuery(c, OPTIONS);
  if (chosen === undefined) return known(detectFromCookie(c, OPTIONS) ?? detectFromHeader(c, OPTIONS));
  const secure = c.req.url.startsWith("https:");
  setCookie(c, OPTIONS.lookupCookie, chosen, { path: "/docs", maxAge: YEAR_SECONDS, sameSite: "Lax", httpOnly: true, secure });
  return known(chosen);
}

/** For programs: English unless the address says otherwise. */
export function languageOfDocument(c: AppContext): Language {
  return known(detectFromQuery(c, OPTIONS));
}

function known(language: string | undefined): Language {
  return language === "pt" ? "pt" : "en";
}
