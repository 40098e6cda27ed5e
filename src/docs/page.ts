// The readable documentation of one surface, drawn from its OpenAPI document alone. Nothing is loaded from anywhere else.
import type { OpenApiDocument, Operation } from "../http/openapi/shape.ts";
import { fieldTable } from "./fields.ts";
import { html, Html } from "./html.ts";
import { type Heading, renderMarkdown } from "./markdown.ts";
import { operationSection, type Shown } from "./operation.ts";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";
import { wordsOf } from "./words.ts";

/** A link to the documentation of each surface. */
export type Tab = { title: string; href: string; isCurrent: boolean };

type Entry = { method: string; path: string; operation: Operation };

export function docsPage(document: OpenApiDocument, tabs: readonly Tab[], jsonHref: string): string {
  const language = document.info["x-language"];
  const words = wordsOf(language);
  const { body, headings } = renderMarkdown(document.info.description);
  const shown: Shown = { document, words };
  const sections = document.tags
    .map((tag) => ({ ...tag, entries: entriesOf(document, tag.name) }))
    .filter(({ entries }) => entries.length > 0);
  const page = html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${document.info.title}</title>
        ${new Html(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <header>
          <strong>${document.info.title}</strong><span class="version">${document.info.version}</span>
          <nav>
            ${tabs.map(({ title, href, isCurrent }) => html`<a href="${href}" ${isCurrent && new Html(' aria-current="page"')}>${title}</a>`)}<a
              href="${jsonHref}"
              >OpenAPI</a
            ><a href="/llms.txt">llms.txt</a>
          </nav>
        </header>
        <div class="layout">
          <aside>
            <input type="search" placeholder="${words.search}" aria-label="${words.search}" hidden />
            <nav>
              <h2>${words.guide}</h2>
              <ul>
                ${headings.map(contents)}
              </ul>
              ${sections.map(
                ({ "x-displayName": title, entries }) =>
                  html`<h2>${title}</h2>
                    <ul class="routes">
                      ${entries.map(link)}
                    </ul>`,
              )}
              <h2><a href="#objects">${words.objects}</a></h2>
            </nav>
          </aside>
          <main>
            <section class="guide">${body}</section>
            ${sections.map(
              ({ name, "x-displayName": title, description, entries }) =>
                html`<section class="family">
                  <h2 id="tag-${name}">${title}</h2>
                  <p>${description}</p>
                  ${entries.map(({ method, path, operation }) => operationSection(method, path, operation, shown))}
                </section>`,
            )}
            <section>
              <h2 id="objects">${words.objects}</h2>
              ${Object.entries(document.components.schemas).map(
                ([name, schema]) =>
                  html`<h3 id="schema-${name}">${name}</h3>
                    ${fieldTable(schema, document.components.schemas, words)}`,
              )}
            </section>
          </main>
        </div>
        ${new Html(`<script>${SCRIPT}</script>`)}
      </body>
    </html> `;
  return page.text;
}

function entriesOf({ paths }: OpenApiDocument, tag: string): Entry[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => (operation.tags.includes(tag) ? [{ method, path, operation }] : [])),
  );
}

function contents({ level, id, title }: Heading): Html {
  return html`<li class="level-${level}"><a href="#${id}">${title}</a></li>`;
}

function link({ method, path, operation }: Entry): Html {
  const short = path.replace(/^\/api(\/v1)?/, "");
  return html`<li data-find="${`${method} ${path} ${operation.summary}`.toLowerCase()}">
    <a href="#${operation.operationId}" title="${operation.summary}"
      ><span class="method ${method}">${method.toUpperCase()}</span>${short}</a
    >
  </li>`;
}
