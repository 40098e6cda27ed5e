import { describe, expect, it } from "vitest";
import { inlineHtml, renderMarkdown } from "#root/src/docs/markdown.ts";

describe("a guide as HTML", () => {
  it("has headings with the addresses that links to chapters use", () => {
    const { html, headings } = renderMarkdown("## Send later, and know\n\n### Endereço de volta");
    expect(headings.map(({ slug }) => slug)).toEqual(["send-later-and-know", "endereço-de-volta"]);
    expect(html).toContain('<h2 id="description/send-later-and-know">Send later, and know</h2>');
  });

  it("keeps markup inside code as text", () => {
    expect(inlineHtml("`<b>*x*</b>` and *y* & **z**")).toBe("<code>&lt;b&gt;*x*&lt;/b&gt;</code> and <em>y</em> &amp; <strong>z</strong>");
    expect(renderMarkdown("```js\na < b;\n\n# c\n```").html).toBe('<pre><code tabindex="0">a &lt; b;\n\n# c</code></pre>');
  });

  it("links only to pages", () => {
    expect(inlineHtml("[here](https://a.example/x)")).toBe('<a href="https://a.example/x">here</a>');
    expect(inlineHtml("[here](javascript:x)")).toBe("[here](javascript:x)");
  });

  it("has lists and tables", () => {
    expect(renderMarkdown("- one\n- two\n  more").html).toBe("<ul><li>one</li><li>two more</li></ul>");
    expect(renderMarkdown("1. one\n2. two").html).toBe("<ol><li>one</li><li>two</li></ol>");
    expect(renderMarkdown("| a | b |\n| --- | --- |\n| `x` | y |").html).toContain("<tr><td><code>x</code></td><td>y</td></tr>");
  });

  it("gives the row of an error an address", () => {
    const { html } = renderMarkdown("| Status | Code |\n|---|---|\n| 429 | `rate_limited` |\n| 200 | Sent |");
    expect(html).toContain('<tr id="error/rate_limited"><td>429</td>');
    expect(html).toContain("<tr><td>200</td>");
  });

  it("folds a heading of the fourth level with the samples below it", () => {
    const { html, headings } = renderMarkdown("#### The `api` & more\n\nText\n\n**curl**\n\n```sh\na\n```\n\nAfter");
    expect(html).toMatch(
      /^<details class="fold"><summary>The <code>api<\/code> &amp; more<\/summary>\n<p>Text<\/p>\n<div class="samples">.*<\/div>\n<\/details>\n<p>After<\/p>$/s,
    );
    expect(headings).toEqual([]);
  });

  it("groups the samples of one call", () => {
    const { html } = renderMarkdown("**curl**\n\n```sh\na\n```\n\n**PHP**\n\n```php\nb\n```\n\nText");
    expect(html.match(/data-sample="[^"]+"/g)).toEqual(['data-sample="curl"', 'data-sample="PHP"']);
    expect(html).toMatch(/^<div class="samples">.*<\/div>\n<p>Text<\/p>$/s);
    // Without the page's script, the first sample is chosen.
    expect(html).toContain(
      '<button type="button" aria-pressed="true">curl</button><button type="button" aria-pressed="false">PHP</button>',
    );
    expect(html.match(/<section [^>]+>/g)).toEqual(['<section data-sample="curl">', '<section data-sample="PHP" hidden>']);
  });
});
