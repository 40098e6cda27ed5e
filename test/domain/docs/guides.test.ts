// The guides of both APIs: complete in both languages, with the same code in all four.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Api, guide, help, snippet, snippetNames } from "#root/src/guides/guides.ts";
import { renderMarkdown } from "#root/src/docs/markdown.ts";
import texts from "#root/src/guides/guide-texts.json" with { type: "json" };

const APIS = ["connection", "account"] as const;
const CONTEXT = { url: "https://gateway.example.com", events: { columns: ["e"], rows: [] }, errors: { columns: ["c"], rows: [] } };

const headings = (markdown: string) => [...markdown.matchAll(/^(#+) /gm)].map(([, level]) => level);
const snippetsIn = (markdown: string) => [...markdown.matchAll(/\{\{snippet ([\w-]+)\}\}/g)].map(([, name]) => name ?? "");

describe("the help", () => {
  it("has the same sections in both languages", () => {
    expect(headings(help("en")).length).toBeGreaterThan(8);
    expect(headings(help("pt"))).toEqual(headings(help("en")));
  });

  it.each(["en", "pt"] as const)("contains no code, fields and headers in %s", (language) => {
    expect(help(language)).not.toMatch(/`|\bHTTP\b|\bJSON\b|[a-z]_[a-z]|X-/);
  });

  it.each(["en", "pt"] as const)("quotes buttons and pages in %s as the dashboard and WhatsApp name them", async (language) => {
    const quoted = [...help(language).matchAll(/(?<!\*)\*([^*]+)\*(?!\*)/g)].map(([, label = ""]) => label);
    expect(quoted.length).toBeGreaterThan(30);
    const areas = ["account", "chats", "cloud", "connections", "overview", "pair", "pairing-link", "settings", "shell", "ui"];
    const catalogs = await Promise.all(
      areas.map(async (area) => {
        // Loads browser code, whose types are not available in this project.
        const path = `../../../dashboard/src/texts/${language}/${area}.ts`;
        return ((await import(path)) as { default: object }).default;
      }),
    );
    const shown = JSON.stringify(catalogs);
    expect(quoted.filter((label) => !shown.includes(label))).toEqual([]);
  });
});

describe("the guides", () => {
  it("are gathered into the file that the worker imports", async () => {
    const { guideTexts, TEXTS_FILE } = (await import(new URL("../../../src/guides/generate.mjs", import.meta.url).href)) as {
      guideTexts(): string;
      TEXTS_FILE: string;
    };
    expect(JSON.parse(readFileSync(TEXTS_FILE, "utf8"))).toEqual(JSON.parse(guideTexts()));
  });

  it.each(APIS)("have the same sections and the same code in both languages: %s API", (api) => {
    const { en, pt } = texts.guides;
    expect(en[api].length).toBeGreaterThan(5);
    expect(pt[api].map(headings)).toEqual(en[api].map(headings));
    expect(pt[api].map(snippetsIn)).toEqual(en[api].map(snippetsIn));
    for (const [index, text] of en[api].entries()) expect(pt[api][index]).not.toBe(text);
  });

  it.each(APIS)("mention how to send later: %s API", (api: Api) => {
    expect(texts.guides.en[api].join("\n")).toMatch(/\bschedule\b/i);
    expect(texts.guides.pt[api].join("\n")).toMatch(/\bagend(e|ar)\b/i);
  });

  it.each(APIS)("show every snippet in curl, JavaScript, Python and PHP: %s API", (api: Api) => {
    expect(new Set(texts.guides.en[api].flatMap(snippetsIn))).toEqual(new Set(snippetNames(api)));
    for (const name of snippetNames(api)) {
      const shown = (["sh", "js", "py", "php"] as const).map((language) => snippet(api, name, language, "https://a"));
      expect(shown, name).not.toContain(null);
      expect(shown.join("\n"), name).not.toContain("{{");
    }
  });

  it.each(APIS)("link only to their own chapters: %s API", (api: Api) => {
    for (const language of ["en", "pt"] as const) {
      const text = guide(api, language, CONTEXT);
      const slugs = renderMarkdown(text).headings.map(({ slug }) => `#description/${slug}`);
      const links = [...text.matchAll(/\]\((#[^)]*)\)/g)].map(([, href]) => href);
      expect(links.length).toBeGreaterThan(0);
      expect(slugs).toEqual(expect.arrayContaining(links));
    }
  });

  it.each(APIS)("have no placeholders left: %s API", (api: Api) => {
    for (const language of ["en", "pt"] as const) {
      const text = guide(api, language, CONTEXT);
      expect(text).not.toMatch(/\{\{/);
      expect(text).toContain("https://gateway.example.com");
    }
  });
});
