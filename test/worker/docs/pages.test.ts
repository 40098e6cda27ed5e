// Everything served to people and programs: pages, the text for language models, static files, and 404 for anything else.
import { describe, expect, it } from "vitest";
import { accountDocument } from "#root/src/api/docs/account/document.ts";
import { FAMILIES } from "#root/src/api/account/routes.ts";
import { connectionDocument } from "#root/src/api/docs/connection/document.ts";
import type { Env } from "#root/src/env.ts";
import { credentialOf, curlOf, exampleRequest } from "#root/src/http/openapi/requests.ts";
import { llmsText } from "#root/src/docs/llms.ts";
import { APP, gateway } from "../support/gateway.ts";
import { STATIC_FILES } from "../support/static-files.ts";

const ask = gateway();
const BASE = "https://api.example.com";

const PAGES = [
  { path: "/docs", json: "/docs/connection.json", server: APP, document: connectionDocument(APP) },
  { path: "/docs/account", json: "/docs/account.json", server: BASE, document: accountDocument(BASE, FAMILIES) },
];

it("/openapi.json serves the first page's document", async () => {
  const found = await ask("/openapi.json");
  expect([found.status, found.headers.get("content-type")]).toEqual([200, "application/json"]);
  expect(await found.text()).toBe(await (await ask("/docs/connection.json")).text());
});

describe.each(PAGES)("$path", ({ path, json, document }) => {
  it("is titled like its document", async () => {
    expect(await (await ask(path)).text()).toContain(`<title>${document.info.title}</title>`);
  });

  it("executes and loads nothing outside the deployment", async () => {
    const answer = await ask(path);
    expect(answer.headers.get("content-type")).toMatch(/^text\/html/);
    const page = await answer.text();
    expect([...page.matchAll(/\ssrc="([^"]*)"/g)].map((match) => match[1])).toEqual(["/assets/docs/reference.js"]);
    expect(page).not.toMatch(/<(img|iframe|object|embed|style)\b|<script(?! type="module" src=)|\son\w+=|style="/);
    const [, nonce] = /nonce-([^']+)'/.exec(answer.headers.get("content-security-policy") ?? "") ?? [];
    expect(answer.headers.get("content-security-policy")).toBe(
      `default-src 'none'; script-src 'self'; style-src-elem 'self' 'nonce-${nonce}'; style-src-attr 'unsafe-inline'; ` +
        "img-src 'self' data: blob:; media-src 'self' data: blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
        "frame-ancestors 'none'",
    );
    expect(page).toContain(`<meta property="csp-nonce" content="${nonce}" />`);
    expect((await ask(path)).headers.get("content-security-policy")).not.toContain(nonce);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "cache-control": "no-store",
      "strict-transport-security": "max-age=31536000",
      "x-content-type-options": "nosniff",
    });
  });

  it("holds every route and event without a script, and leads to the console", async () => {
    const page = await (await ask(path)).text();
    const operations = [...Object.values(document.paths), ...Object.values(document.webhooks)].flatMap((item) => Object.values(item));
    for (const { operationId } of operations) expect(page).toContain(`<article id="route/${operationId}">`);
    for (const { operationId, tags } of Object.values(document.paths).flatMap((item) => Object.values(item)))
      expect(page).toContain(`href="#tag/${tags[0]}/${operationId}"`);
  });

  it("lists the status and code of every error of a route", async () => {
    const page = await (await ask(path)).text();
    for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item))) {
      const [, article = ""] = page.split(`<article id="route/${operation.operationId}">`);
      const [, errors = ""] = /<details class="errors">(.*?)<\/details>/.exec(article.split("</article>")[0] ?? "") ?? [];
      const listed = [...errors.matchAll(/<li>(\d+) <code>(\w+)<\/code>: ./g)].map(([, ...error]) => error.join(" "));
      const given = Object.entries(operation.responses).flatMap(([status, { $ref = "", content }]) => {
        const shared = document.components.responses[$ref.replace("#/components/responses/", "")];
        return Object.keys((content ?? shared?.content)?.["application/json"]?.examples ?? {}).map((code) => `${status} ${code}`);
      });
      expect(listed, operation.operationId).toEqual(given);
    }
  });

  it("redirects the URL of a guide to its chapter, in the guide's or the reader's language", async () => {
    const asked = async (guide: string, language: string) => {
      const { status, headers } = await ask(`${path}/${guide}`, { headers: { "accept-language": language } });
      return [status, headers.get("location")];
    };
    expect(await asked("groups", "en")).toEqual([302, `${path}?lang=en#description/groups`]);
    expect(await asked("webhooks", "pt")).toEqual([302, `${path}?lang=pt#description/webhooks-receber-e-conferir-eventos`]);
    expect(await asked("sdks", "en")).toEqual([302, `${path}?lang=en#description/sdks-command-line-mcp-and-n8n`]);
    expect(await asked("sdks", "pt")).toEqual([302, `${path}?lang=pt#description/sdks-linha-de-comando-mcp-e-n8n`]);
    expect(await asked("erros", "en")).toEqual([302, `${path}?lang=pt#description/erros`]);
    expect((await asked("oops", "en"))[0]).toBe(404);
  });

  it("leads to the other documents", async () => {
    const page = await (await ask(path)).text();
    for (const href of ["/docs", "/docs/account", "/docs/help", "/llms.txt", `${json}?lang=en`]) expect(page).toContain(`href="${href}"`);
  });

  it("is in the URL's language, else the chosen one, else the browser's", async () => {
    const languageOf = async (query: string, headers: Record<string, string>) => {
      const page = await (await ask(path + query, { headers })).text();
      return [/<html lang="([^"]+)"/.exec(page)?.[1], /data-document="[^"]*lang=(\w+)"/.exec(page)?.[1]];
    };
    expect(await languageOf("", {})).toEqual(["en", "en"]);
    expect(await languageOf("", { "accept-language": "fr, pt-BR;q=0.9, en;q=0.8" })).toEqual(["pt-BR", "pt"]);
    expect(await languageOf("", { "accept-language": "pt", cookie: "docs_language=en" })).toEqual(["en", "en"]);
    expect(await languageOf("?lang=pt", { "accept-language": "en", cookie: "docs_language=en" })).toEqual(["pt-BR", "pt"]);
    expect(await languageOf("?lang=xx", {})).toEqual(["en", "en"]);
  });

  it("remembers only a language that the reader chose", async () => {
    expect((await ask(path, { headers: { "accept-language": "pt" } })).headers.get("set-cookie")).toBeNull();
    expect((await ask(`${path}?lang=pt`)).headers.get("set-cookie")).toBe(
      "docs_language=pt; Max-Age=31536000; Path=/docs; HttpOnly; Secure; SameSite=Lax",
    );
  });
});

describe("/docs/help", () => {
  it("is the help for owners in both languages, and leads to the dashboard and the API's pages", async () => {
    for (const [language, title, chapter] of [
      ["en", "Help", "connect-your-number"],
      ["pt", "Ajuda", "conectar-seu-número"],
    ] as const) {
      const page = await (await ask(`/docs/help?lang=${language}`)).text();
      expect(page).toContain(`<title>${title}</title>`);
      expect(page).toContain(`<h2 id="description/${chapter}">`);
      for (const href of ["/connections", "/docs", `/docs/help?lang=${language}`]) expect(page).toContain(`href="${href}"`);
      expect(page).not.toContain("{{");
    }
    expect((await ask("/docs/help/your")).headers.get("location")).toBe("/docs/help?lang=en#description/your-plan");
    expect((await ask("/docs/help.json")).status).toBe(404);
  });

  it("names the operator's contact", async () => {
    const settings = { SUPPORT_NAME: "Ana <Shop> & Co", SUPPORT_EMAIL: "ana@example.com", SUPPORT_PHONE: "5511900000001" };
    expect(await (await gateway(settings)("/docs/help")).text()).toContain(
      'run this service: Ana &lt;Shop&gt; &amp; Co, <a href="mailto:ana@example.com">ana@example.com</a>, ' +
        '<a href="https://wa.me/5511900000001">+5511900000001</a>.',
    );
    expect(await (await ask("/docs/help")).text()).toContain("Ask the people who run this service.</p>");
  });
});

describe("the machine-readable documents", () => {
  it.each(PAGES)("serve $json in English, and in Portuguese on request", async ({ json, document }) => {
    const answer = await ask(json, { headers: { "accept-language": "pt" } });
    expect(await answer.text()).toBe(JSON.stringify(document));
    const translated = await (await ask(`${json}?lang=pt`)).json();
    expect(translated).toMatchObject({ info: { "x-language": "pt-BR" } });
  });
});

describe("a document made when the worker was built", () => {
  const MADE = { APP_URL: "https://whatsapp.example.net/gateway", BASE_URL: "https://calls.example.net" };
  const elsewhere = gateway(MADE);

  it.each([
    ["/docs/connection.json", () => JSON.stringify(connectionDocument(MADE.APP_URL))],
    ["/docs/connection.json?lang=pt", () => JSON.stringify(connectionDocument(MADE.APP_URL, "pt"))],
    ["/docs/account.json", () => JSON.stringify(accountDocument(MADE.BASE_URL, FAMILIES))],
    ["/docs/account.json?lang=pt", () => JSON.stringify(accountDocument(MADE.BASE_URL, FAMILIES, "pt"))],
    ["/api/openapi.json", () => JSON.stringify(accountDocument(MADE.BASE_URL, FAMILIES))],
    [
      "/llms.txt",
      () =>
        llmsText([
          { document: connectionDocument(MADE.APP_URL), href: `${MADE.APP_URL}/docs/connection.json` },
          { document: accountDocument(MADE.BASE_URL, FAMILIES), href: `${MADE.APP_URL}/docs/account.json` },
        ]),
    ],
  ])("%s names this deployment's addresses, and is otherwise the same", async (path, made) => {
    expect(await (await elsewhere(path)).text()).toBe(made());
  });

  it.each(["/docs/prepared/connection.en.json", "/docs/connection.en.json", "/docs/prepared/llms.txt"])(
    "is not served as it is stored, under %s",
    async (path) => {
      expect((await elsewhere(path)).status).toBe(404);
    },
  );
});

describe("/llms.txt", () => {
  it("holds the guides and every route with its example", async () => {
    const answer = await ask("/llms.txt");
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain/);
    const text = await answer.text();
    for (const { document, server } of PAGES) {
      expect(text).toContain(document.info.description);
      for (const [path, item] of Object.entries(document.paths))
        for (const [method, operation] of Object.entries(item))
          expect(text).toContain(curlOf(exampleRequest(method, path, operation), server, credentialOf(operation)));
    }
  });
});

describe("a missing path", () => {
  /** The platform's static files: a dashboard page, and the prepared documents. */
  const ASSETS = {
    fetch: async (asked: Request | URL) =>
      asked instanceof Request && new URL(asked.url).pathname === "/" ? new Response("<!doctype html>") : STATIC_FILES.fetch(asked),
  } as unknown as NonNullable<Env["ASSETS"]>;
  const askWithFiles = gateway({ ASSETS });

  it.each([
    "/healthz",
    "/metrics",
    "/assets/missing.js",
    "/docs/nothing",
    "/docs/nothing.json",
    "/docs/__proto__",
    "/docs/connection/more",
  ])("is answered 404: %s", async (path) => {
    for (const method of ["GET", "POST"]) {
      const answer = await askWithFiles(path, { method });
      expect([answer.status, await answer.json()]).toMatchObject([404, { error: { code: "route_not_found" } }]);
    }
  });

  it("is not cached as missing", async () => {
    expect((await askWithFiles("/assets/app/of-an-earlier-release.js")).headers.get("cache-control")).toBe("no-store");
  });

  it.each(["/", "/connections/7/deliveries/msg_1", "/whatever"])("gives a browser the dashboard: %s", async (path) => {
    const answer = await askWithFiles(path, { headers: { accept: "text/html,application/xhtml+xml" } });
    expect([answer.status, await answer.text()]).toEqual([200, "<!doctype html>"]);
  });

  it.each(["/assets/app/gone.js", "/api/nothing"])("is answered 404 to a browser too: %s", async (path) => {
    const answer = await askWithFiles(path, { headers: { accept: "text/html" } });
    expect([answer.status, await answer.json()]).toMatchObject([404, { error: { code: "route_not_found" } }]);
  });

  it.each(["/docs/nothing", "/docs/connection/more"])("is answered 404 with the guides to a browser: %s", async (path) => {
    const answer = await askWithFiles(path, { headers: { accept: "text/html" } });
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('<div id="guides"')]);
  });
});
