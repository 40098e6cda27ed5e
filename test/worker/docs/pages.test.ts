// What people and programs read: the pages, and the text for language models.
import { describe, expect, it } from "vitest";
import { connectionDocument } from "../../../src/connection-api/docs/document.ts";
import { renderMarkdown } from "../../../src/docs/markdown.ts";
import { curlOf, exampleRequests } from "../../../src/http/openapi/requests.ts";
import { APP, gateway } from "../support/gateway.ts";

const ask = gateway();
const requests = exampleRequests(connectionDocument(APP));

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

describe("/docs", () => {
  it("shows every route with the example of the machine-readable description", async () => {
    const answer = await ask("/docs");
    expect(answer.headers.get("content-type")).toMatch(/^text\/html/);
    const page = await answer.text();
    for (const request of requests) {
      expect(page).toContain(`id="${request.operationId}"`);
      expect(page).toContain(escaped(curlOf(request, APP, "X-Api-Key: $API_KEY")));
    }
  });

  it("loads nothing from anywhere, and runs nothing but its own script", async () => {
    const answer = await ask("/docs");
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
    const page = await (await ask("/docs")).text();
    const ids = new Set([...page.matchAll(/\sid="([^"]+)"/g)].map((match) => match[1]));
    const dead = [...page.matchAll(/href="#([^"]+)"/g)].map((match) => match[1]).filter((id) => !ids.has(id));
    expect(dead).toEqual([]);
  });

  it("answers 404 for what is not there", async () => {
    for (const path of ["/docs/nothing", "/docs/nothing.json", "/docs/__proto__", "/docs/connection/more"]) {
      expect([path, (await ask(path)).status]).toEqual([path, 404]);
    }
  });
});

describe("/llms.txt", () => {
  it("holds the guide and every route with its example", async () => {
    const answer = await ask("/llms.txt");
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain/);
    const text = await answer.text();
    expect(text).toContain(connectionDocument(APP).info.description);
    for (const request of requests) expect(text).toContain(curlOf(request, APP, "X-Api-Key: $API_KEY"));
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
