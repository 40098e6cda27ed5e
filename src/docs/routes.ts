// `/docs`, `/docs/<surface>.json` and `/llms.txt`: public, the same for everybody (docs/connection-api.md, "Public pages").
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { Hono } from "hono";
import { type Settings, settingsOf } from "../env.ts";
import type { AppContext, AppEnv } from "../http/app-env.ts";
import { englishFailure } from "../http/english-failure.ts";
import type { OpenApiDocument } from "../http/openapi/shape.ts";
import { DOCUMENT_NAMES, documentNamed } from "./documents.ts";
import { llmsText } from "./llms.ts";
import { docsPage } from "./page.ts";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";

const [FIRST = ""] = DOCUMENT_NAMES;
const KEPT = "public, max-age=300";

/** Nothing but the page's own style and script runs on it. */
const POLICY = [
  "default-src 'none'",
  `style-src '${hashOf(STYLE)}'`,
  `script-src '${hashOf(SCRIPT)}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

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
  const documents = DOCUMENT_NAMES.flatMap((name) => {
    const document = documentNamed(name, settings, "en");
    return document === null ? [] : [{ document, href: `${settings.APP_URL}/docs/${name}.json` }];
  });
  return c.text(llmsText(documents), 200, { "Cache-Control": KEPT });
}

function json(c: AppContext, name: string): Response {
  const document = documentNamed(name, settingsOf(c.env), c.req.query("lang") === "pt" ? "pt" : "en");
  if (document === null) return missing(c);
  c.var.facts.route = `/docs/${name}.json`;
  // Tools that draw or try an API fetch its description from pages of their own.
  return c.json(document, 200, { "Cache-Control": KEPT, "Access-Control-Allow-Origin": "*" });
}

function page(c: AppContext, name: string): Response {
  const settings = settingsOf(c.env);
  const document = documentNamed(name, settings, "en");
  if (document === null) return missing(c);
  c.var.facts.route = "/docs";
  return c.html(drawnPage(name, document, settings), 200, {
    "Cache-Control": KEPT,
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
  });
}

const drawn = new WeakMap<OpenApiDocument, string>();

function drawnPage(name: string, document: OpenApiDocument, settings: Settings): string {
  const known = drawn.get(document);
  if (known !== undefined) return known;
  const tabs = DOCUMENT_NAMES.map((each) => ({
    title: documentNamed(each, settings, "en")?.info.title ?? each,
    href: each === FIRST ? "/docs" : `/docs/${each}`,
    isCurrent: each === name,
  }));
  const page = docsPage(document, tabs, `/docs/${name}.json`);
  drawn.set(document, page);
  return page;
}

function missing(c: AppContext): Response {
  c.var.facts.route = "/docs/*";
  return englishFailure(c, "route_not_found");
}

function hashOf(text: string): string {
  return `sha256-${btoa(String.fromCharCode(...sha256(utf8ToBytes(text))))}`;
}
