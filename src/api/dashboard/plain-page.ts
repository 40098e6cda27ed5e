// A page of plain HTML without scripts. Its styles, font and logo are static files (dashboard/public/plain-page.css).
import { PRODUCT } from "@gateway/domain/product.ts";
import { html } from "hono/html";
import type { AppContext } from "#root/src/http/app-env.ts";

export type Content = ReturnType<typeof html>;

type Page = {
  tag: string;
  status: 200 | 400 | 429 | 503;
  title: string;
  content: Content;
  other?: Content;
};

/** Sets no-store and no-referrer, and forbids framing, because the URL may contain a token. */
export async function plainPage(c: AppContext, { tag, status, title, content, other = html`` }: Page): Promise<Response> {
  const shown = await html`<!doctype html>
    <html lang="${tag}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · ${PRODUCT.name}</title>
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/plain-page.css" />
      </head>
      <body>
        <header>
          <span><img src="/favicon.svg" alt="" width="24" height="24" />${PRODUCT.name}</span>${other}
        </header>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`;
  return c.html(shown, status, {
    "Cache-Control": "no-store",
    "Content-Security-Policy":
      "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "Strict-Transport-Security": "max-age=31536000",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex",
    // The URL contains the link's token.
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
  });
}
