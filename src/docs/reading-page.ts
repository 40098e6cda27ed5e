// Renders the guides and routes as HTML at build time. The page works without scripts. Only its console loads the 4 MB API reference.
import { curlOf, credentialOf, exampleRequest } from "../http/openapi/requests.ts";
import { errorsOf, type OpenApiDocument, type Operation, resolved, type Schema } from "../http/openapi/shape.ts";
import type { Language } from "../http/openapi/text.ts";
import { help } from "../guides/guides.ts";
import { codeHtml, escaped, type Heading, inlineHtml, renderMarkdown } from "./markdown.ts";

type Place = { method: string; path: string; operation: Operation };

const TEXTS = {
  en: { contents: "Contents", guides: "Guides", routes: "Routes", events: "Events", field: "Field", type: "Type", about: "Description" },
  pt: { contents: "Conteúdo", guides: "Guias", routes: "Rotas", events: "Eventos", field: "Campo", type: "Tipo", about: "Descrição" },
} as const;
const MORE = {
  en: { required: "required", try: "Try it, with every field", answer: "Response", errors: "Errors" },
  pt: { required: "obrigatório", try: "Testar, com todos os campos", answer: "Resposta", errors: "Erros" },
} as const;

/** Loaded together with the styles that use them (`assets/reference.css`). */
const FONTS = ["atkinson-plain-zero-latin", "atkinson-hyperlegible-mono-latin"].map(
  (name) => `<link rel="preload" as="font" type="font/woff2" crossorigin href="/assets/docs/fonts/${name}-wght-normal.woff2" />`,
);

export function helpPage(language: Language): string {
  const { html, headings } = renderMarkdown(help(language));
  return framed(language, chaptersOf(headings), html);
}

export function readingPage(document: OpenApiDocument, language: Language): string {
  const texts = TEXTS[language];
  const guides = renderMarkdown(document.info.description);
  const places = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
  const families = document.tags
    .map((tag) => ({ tag, own: places.filter(({ operation }) => operation.tags.includes(tag.name)) }))
    .filter(({ own }) => own.length > 0);
  const events = Object.values(document.webhooks).map(({ post }) => post);
  const index = [
    `<h2>${texts.guides}</h2>`,
    chaptersOf(guides.headings),
    `<h2>${texts.routes}</h2>`,
    ...families.map(({ tag, own }) =>
      folded(
        tag["x-displayName"],
        own.map(({ operation }) => operation),
      ),
    ),
    folded(texts.events, events),
  ];
  const routes = families.map(
    ({ tag, own }) =>
      `<h2>${escaped(tag["x-displayName"])}</h2>${renderMarkdown(tag.description).html}${own.map((place) => routeHtml(document, place, language)).join("")}`,
  );
  const title = `<h1>${escaped(document.info.title)}</h1>`;
  const described = `<h2>${texts.events}</h2>${events.map((event) => entryHtml(event, "", "")).join("")}`;
  return framed(language, index.join(""), `${title}${guides.html}${routes.join("")}\n${described}`);
}

function framed(language: Language, index: string, text: string): string {
  const { contents } = TEXTS[language];
  return [
    ...FONTS,
    `<nav class="guide-index" aria-label="${contents}"><details class="guide-contents"><summary>${contents}</summary>${index}</details></nav>`,
    `<main class="guide-text">${text}</main>`,
  ].join("\n");
}

function chaptersOf(headings: readonly Heading[]): string {
  return listOf(headings.filter(({ level }) => level === 2).map(({ slug, text }) => ({ href: `description/${slug}`, text })));
}

function folded(title: string, operations: readonly Operation[]): string {
  const links = operations.map(({ operationId, summary }) => ({ href: `route/${operationId}`, text: summary }));
  return `<details><summary>${escaped(title)}</summary>${listOf(links)}</details>`;
}

function listOf(links: readonly { href: string; text: string }[]): string {
  return `<ul>${links.map(({ href, text }) => `<li><a href="#${href}">${escaped(text)}</a></li>`).join("")}</ul>`;
}

function entryHtml({ operationId, summary, description = "" }: Operation, call: string, rest: string): string {
  return `<article id="route/${operationId}"><h3>${escaped(summary)}</h3>${call}${renderMarkdown(description).html}${rest}</article>`;
}

function routeHtml(document: OpenApiDocument, { method, path, operation }: Place, language: Language): string {
  const texts = MORE[language];
  const curl = curlOf(exampleRequest(method, path, operation), document.servers[0]?.url ?? "", credentialOf(operation));
  const [tag = ""] = operation.tags;
  const example = Object.values(operation.responses["200"]?.content ?? operation.responses["201"]?.content ?? {})[0]?.example;
  const errors = errorsOf(document, operation).map(
    ({ status, code, text }) => `<li>${status} <code>${code}</code>: ${inlineHtml(text)}</li>`,
  );
  return entryHtml(
    operation,
    `<p class="call"><b>${method.toUpperCase()}</b> <code>${escaped(path)}</code></p>`,
    [
      codeHtml(curl),
      fieldsHtml(document, operation, language),
      example === undefined ? "" : `<h4>${texts.answer}</h4>${codeHtml(JSON.stringify(example, null, 2))}`,
      errors.length === 0 ? "" : `<details class="errors"><summary>${texts.errors}</summary><ul>${errors.join("")}</ul></details>`,
      `<p><a href="#tag/${tag}/${operation.operationId}">${texts.try}</a></p>`,
    ].join(""),
  );
}

/** Renders the path and query parameters, then the body's fields. */
function fieldsHtml({ components: { schemas } }: OpenApiDocument, operation: Operation, language: Language): string {
  const texts = { ...TEXTS[language], ...MORE[language] };
  const body = resolved(operation.requestBody?.content["application/json"]?.schema ?? {}, schemas);
  const fields = [
    ...(operation.parameters ?? []).filter((parameter) => parameter.in !== "header"),
    ...Object.entries(body.properties ?? {}).map(([name, schema]) => ({
      name,
      required: body.required?.includes(name) === true,
      description: schema.description ?? resolved(schema, schemas).description ?? "",
      schema,
    })),
  ];
  if (fields.length === 0) return "";
  const rows = fields.map(
    ({ name, required, description = "", schema = {} }) =>
      `<tr><td><code>${escaped(name)}</code>${required === true ? ` <small>${texts.required}</small>` : ""}</td>` +
      `<td>${escaped(typeOf(resolved(schema, schemas), schemas))}</td><td>${inlineHtml(description)}</td></tr>`,
  );
  return `<div class="table" tabindex="0"><table><thead><tr><th>${texts.field}</th><th>${texts.type}</th><th>${texts.about}</th></tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
}

function typeOf({ type, enum: values, items, anyOf, oneOf }: Schema, schemas: Readonly<Record<string, Schema>>): string {
  const choices = anyOf ?? oneOf;
  if (values !== undefined) return values.map(String).join(" | ");
  if (choices !== undefined) return [...new Set(choices.map((choice) => typeOf(resolved(choice, schemas), schemas)))].join(" | ");
  if (items !== undefined) return `${typeOf(resolved(items, schemas), schemas)}[]`;
  return [type ?? "object"].flat().join(" | ");
}
