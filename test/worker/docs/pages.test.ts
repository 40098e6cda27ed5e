// What people and programs read: the pages, and the text for language models.
import { describe, expect, it } from "vitest";
import { accountDocument } from "../../../src/account-api/docs/document.ts";
import { FAMILIES } from "../../../src/account-api/routes.ts";
import { connectionDocument } from "../../../src/connection-api/docs/document.ts";
import { renderMarkdown } from "../../../src/docs/markdown.ts";
import { credentialOf, curlOf, exampleRequest } from "../../../src/http/openapi/requests.ts";
import { APP, gateway } from "../support/gateway.ts";

const ask = gateway();
const BASE = "https://api.example.com";

const PAGES = [
  { path: "/docs", server: APP, document: connectionDocument(APP) },
  { path: "/docs/account", server: BASE, document: accountDocument(BASE, FAMILIES) },
];

const curlsOf = ({ document, server }: (typeof PAGES)[number]): string[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => curlOf(exampleRequest(method, path, operation), server, credentialOf(operation))),
  );

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

describe.each(PAGES)("$path", (shown) => {
  const { path } = shown;

  it("shows every route with the example of the machine-readable description", async () => {
    const answer = await ask(path);
    expect(answer.headers.get("content-type")).toMatch(/^text\/html/);
    const page = await answer.text();
    for (const { operationId } of Object.values(shown.document.paths).flatMap((item) => Object.values(item)))
      expect(page).toContain(`id="${operationId}"`);
    for (const curl of curlsOf(shown)) expect(page).toContain(escaped(curl));
  });

  it("leads to the others", async () => {
    const page = await (await ask(path)).text();
    for (const href of ["/docs", "/docs/account", "/llms.txt"]) expect(page).toContain(`href="${href}"`);
  });

  it("loads nothing from anywhere, and runs nothing but its own script", async () => {
    const answer = await ask(path);
    const page = await answer.text();
    expect(page).not.toMatch(/<(link|img|iframe|object|embed)\b|\bsrc=|@import|url\(/);
    expect(page).not.toMatch(/\son\w+=|style="/);
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    for (const [, kind = "", text = ""] of page.matchAll(/<(style|script)>([\s\S]*?)<\/\1>/g)) {
      const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
      expect(policy).toContain(`${kind}-src 'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`);
    }
  });

  it("has no dead link within itself", async () => {
    const page = await (await ask(path)).text();
    const ids = new Set([...page.matchAll(/\sid="([^"]+)"/g)].map((match) => match[1]));
    const dead = [...page.matchAll(/href="#([^"]+)"/g)].map((match) => match[1]).filter((id) => !ids.has(id));
    expect(dead).toEqual([]);
  });
});

describe("the documentation", () => {
  it("answers 404 for what is not there", async () => {
    for (const path of ["/docs/nothing", "/docs/nothing.json", "/docs/__proto__", "/docs/connection/more"]) {
      expect([path, (await ask(path)).status]).toEqual([path, 404]);
    }
  });
});

describe("/llms.txt", () => {
  it("holds the guides and every route with its example", async () => {
    const answer = await ask("/llms.txt");
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain/);
    const text = await answer.text();
    for (const shown of PAGES) {
      expect(text).toContain(shown.document.info.description);
      for (const curl of curlsOf(shown)) expect(text).toContain(curl);
    }
  });
});

describe("the guides' Markdown", () => {
  it("cannot smuggle HTML into a page", () => {
    const { body } = renderMarkdown(
      "## <b>a</b>\n\n<script>x</script> `<i>` [go](javascript:alert) [ok](#ok)\n\n| a | <u> |\n|---|---|\n| 1 | 2 |",
    );
    expect(body.text).not.toMatch(/<(script|b|i|u)>|javascript:[^\])]*"/);
    expect(body.text).toContain('<a href="#ok">ok</a>');
  });
});
