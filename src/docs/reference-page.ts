// Builds the HTML of `/docs` with the worker: header, guides, routes, and the element that the API reference fills when opened.
import { PRODUCT } from "@gateway/domain/product.ts";
import { html, raw } from "hono/html";
import { HELP, NONCE } from "../http/openapi/prepared.ts";
import { API_TITLES, type Language, LANGUAGE_TAGS, type Text } from "../http/openapi/text.ts";
import { FIRST, hrefOf } from "./addresses.ts";

type Links = {
  tabs: readonly { title: string; href: string; isCurrent: boolean }[];
  /** More links for the header. Narrow pages hide them. */
  files: readonly { title: string; href: string }[];
};

const HELP_TITLE: Text = { en: "Help", pt: "Ajuda" };
const DASHBOARD: Text = { en: "Dashboard", pt: "Painel" };
const DEVELOPERS: Text = { en: "For developers", pt: "Para desenvolvedores" };
const TITLES = { ...API_TITLES, [HELP]: HELP_TITLE } as const;

const SEARCH: Readonly<Record<Language, string>> = { en: "Search", pt: "Buscar" };

const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: "English", pt: "Português" };

function linksOf(name: keyof typeof TITLES, language: Language, documentHref: string): Links {
  if (name === HELP) {
    return {
      tabs: [
        { title: HELP_TITLE[language], href: hrefOf(HELP), isCurrent: true },
        { title: DASHBOARD[language], href: "/connections", isCurrent: false },
      ],
      files: [{ title: DEVELOPERS[language], href: hrefOf(FIRST) }],
    };
  }
  return {
    tabs: Object.entries(API_TITLES).map(([each, title]) => ({ title: title[language], href: hrefOf(each), isCurrent: each === name })),
    files: [
      { title: HELP_TITLE[language], href: hrefOf(HELP) },
      { title: "OpenAPI", href: documentHref },
      { title: "llms.txt", href: "/llms.txt" },
    ],
  };
}

/** `content` is the part of the page below the header. */
export async function referencePage(name: keyof typeof TITLES, language: Language, content: string): Promise<string> {
  const documentHref = `/docs/${name === HELP ? FIRST : name}.json?lang=${language}`;
  const { tabs, files } = linksOf(name, language, documentHref);
  const languages = (["pt", "en"] as const).map((each) => ({ language: each, href: `${hrefOf(name)}?lang=${each}` }));
  const page = await html`<!doctype html>
    <html lang="${LANGUAGE_TAGS[language]}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta property="csp-nonce" content="${NONCE}" />
        <meta name="color-scheme" content="light dark" />
        <title>${TITLES[name][language]}</title>
        <link rel="stylesheet" href="/assets/docs/reference.css" />
        <link rel="stylesheet" href="/assets/docs/guides.css" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
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
  return String(page);
}
