// A page of plain HTML without scripts. Only its font and the mark are separate files.
import { PRODUCT } from "@gateway/domain/product.ts";
import { html } from "hono/html";
import type { AppContext } from "#root/src/http/app-env.ts";

/** The font's file is built together with the documentation and has a fixed name (tools/build-assets.mjs). */
const FONT = "/assets/docs/fonts/atkinson-plain-zero-latin-wght-normal.woff2";

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
  const nonce = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))));
  const shown = await html`<!doctype html>
    <html lang="${tag}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · ${PRODUCT.name}</title>
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <style nonce="${nonce}">
          @font-face {
            font-family: "Atkinson Hyperlegible Next Variable";
            font-weight: 200 800;
            font-display: swap;
            src: url(${FONT}) format("woff2-variations");
          }
          :root {
            color-scheme: light dark;
            --ground: light-dark(#f7f6f2, #121317);
            --surface: light-dark(#ffffff, #191b20);
            --tint: light-dark(#efede6, #22252c);
            --line: light-dark(#dcd8cd, #30343d);
            --edge: light-dark(#827d70, #7b8290);
            --ink: light-dark(#1b1d22, #eceae4);
            --soft: light-dark(#5a5c63, #a7abb4);
            --accent: light-dark(#2440c4, #9db0ff);
            --on-accent: light-dark(#ffffff, #0c1236);
            --bad: light-dark(#b3201b, #ff8f87);
          }
          * {
            box-sizing: border-box;
          }
          body {
            margin: 0;
            background: var(--ground);
            color: var(--ink);
            font:
              0.9375rem/1.5 "Atkinson Hyperlegible Next Variable",
              system-ui,
              sans-serif;
          }
          header,
          header > span {
            display: flex;
            align-items: center;
            gap: 0.5rem;
          }
          header {
            justify-content: space-between;
            padding: 0.75rem 1rem;
            border-bottom: 1px solid var(--line);
            background: var(--surface);
            font-weight: 600;
          }
          main {
            max-width: 26rem;
            margin: 0 auto;
            padding: 4rem 1rem;
            overflow-wrap: break-word;
          }
          @media (max-width: 40rem) {
            main {
              padding-top: 2.5rem;
            }
          }
          /* On a phone on its side, labels are beside their fields, so that the button is on the screen. */
          @media (max-height: 30rem) and (min-width: 40rem) {
            main {
              max-width: 44rem;
              padding: 1rem;
            }
            main h1 {
              margin-bottom: 0.75rem;
              font-size: 1.375rem;
            }
            form {
              display: grid;
              grid-template-columns: max-content 1fr;
              align-items: center;
              gap: 0.5rem 1rem;
            }
            form :is(label, #hint, button) {
              margin: 0;
            }
            form :is(#hint, button) {
              grid-column: 2;
            }
          }
          h1 {
            margin: 0 0 1.5rem;
            font-size: 1.75rem;
            line-height: 1.2;
            font-weight: 600;
            text-wrap: balance;
          }
          a {
            color: inherit;
            text-underline-offset: 2px;
          }
          :focus-visible {
            outline: 2px solid var(--accent);
            outline-offset: 2px;
          }
          #problem {
            margin: 0;
            padding: 0.5rem 0.75rem;
            border: 1px solid var(--bad);
            border-radius: 6px;
            background: var(--surface);
            color: var(--bad);
            font-weight: 600;
          }
          label {
            display: block;
            margin: 1rem 0 0.25rem;
            font-weight: 600;
          }
          #hint,
          .soft {
            margin: 0.25rem 0 0;
            color: var(--soft);
            font-size: 0.8125rem;
          }
          input,
          button,
          .button {
            width: 100%;
            min-height: 2.75rem;
            padding: 0 0.75rem;
            border: 1px solid var(--edge);
            border-radius: 6px;
            background: var(--surface);
            color: var(--ink);
            font: inherit;
          }
          input[readonly] {
            background: var(--tint);
          }
          input[aria-invalid] {
            border-color: var(--bad);
          }
          button,
          .button {
            display: block;
            margin: 1.5rem 0 1rem;
            border-color: var(--accent);
            background: var(--accent);
            color: var(--on-accent);
            font-weight: 600;
            line-height: calc(2.75rem - 2px);
            text-align: center;
            text-decoration: none;
            cursor: pointer;
          }
        </style>
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
    "Content-Security-Policy": `default-src 'none'; style-src 'nonce-${nonce}'; img-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    "Strict-Transport-Security": "max-age=31536000",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex",
    // The URL contains the link's token.
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
  });
}
