// The HTML of `/docs`: our header, the guides and routes, and the element that the API reference component fills when somebody opens it.
import { PRODUCT } from "@gateway/domain/product.ts";
import { html, raw } from "hono/html";
import { type Language, LANGUAGE_TAGS } from "../http/openapi/text.ts";

export type ReferencePage = {
  title: string;
  language: Language;
  documentHref: string;
  languages: readonly { language: Language; href: string }[];
  tabs: readonly { title: string; href: string; isCurrent: boolean }[];
  /** Further links, which narrow pages hide. */
  files: readonly { title: string; href: string }[];
  nonce: string;
  content: string;
};

const SEARCH: Readonly<Record<Language, string>> = { en: "Search", pt: "Buscar" };

const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: "English", pt: "Português" };

export function referencePage({ title, language, documentHref, languages, tabs, files, nonce, content }: ReferencePage) {
  return html`<!doctype html>
    <html lang="${LANGUAGE_TAGS[language]}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta property="csp-nonce" content="${nonce}" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="stylesheet" href="/assets/docs/reference.css" />
        <link rel="icon" href="data:," />
        <script type="module" src="/assets/docs/reference.js"></script>
      </head>
      <body>
        <nav class="site-header" aria-label="${PRODUCT.name}">
          <a class="site-name" href="${tabs[0]?.href ?? ""}">${PRODUCT.name}</a>
          <span class="site-apis">
            ${tabs.map(({ href, title, isCurrent }) => html`<a href="${href}" aria-current="${isCurrent ? "page" : "false"}">${title}</a>`)}
          </span>
          <button type="button" class="site-search" hidden>${SEARCH[language]}</button>
          <span class="site-files">${files.map(({ href, title }) => html`<a href="${href}">${title}</a>`)}</span>
          <span class="site-languages">
            ${languages.map((each) => {
              const tag = LANGUAGE_TAGS[each.language];
              const isCurrent = each.language === language;
              return html`<a
                href="${each.href}"
                hreflang="${tag}"
                lang="${tag}"
                title="${LANGUAGE_NAMES[each.language]}"
                aria-current="${String(isCurrent)}"
                >${each.language.toUpperCase()}</a
              >`;
            })}
          </span>
        </nav>
        <div id="reference" data-document="${documentHref}" data-language="${language}" hidden></div>
        <div id="guides" class="guide-page">${raw(content)}</div>
      </body>
    </html>`;
}
