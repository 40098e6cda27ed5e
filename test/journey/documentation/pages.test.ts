// The documentation in a real browser: what a reader sees, hears and does, and what the browser asks for.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import type { AxeResults } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../support/browser.ts";
import { phones } from "../../support/clients.ts";
import { borrowSandbox, type SharedSandbox } from "../../support/shared-sandbox.ts";

const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 390, height: 844 };
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let sandbox: SharedSandbox;
let browser: Browser;
beforeAll(async () => {
  [sandbox, browser] = await Promise.all([borrowSandbox(), openBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await sandbox.dispose();
});

/** Whatever a page must not do: write to the console, break its policy, ask another origin. */
let trouble: string[] = [];
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
  expect(trouble).toEqual([]);
  trouble = [];
});

type Reader = { viewport?: typeof WIDE; colorScheme?: "light" | "dark"; locale?: string };

async function newPage({ viewport = WIDE, colorScheme = "light", locale = "en-US" }: Reader = {}): Promise<Page> {
  const context = await browser.newContext({ viewport, colorScheme, locale });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.addInitScript(`
    addEventListener("securitypolicyviolation", (event) => console.error("policy: " + event.violatedDirective + " " + event.blockedURI));
  `);
  page.on("console", (message) => {
    // The component says its name and version.
    if (message.type() !== "info") trouble.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => void trouble.push(`error: ${error.message}`));
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== sandbox.ready().app_url && protocol !== "data:" && protocol !== "blob:") trouble.push(`asked for ${request.url()}`);
  });
  return page;
}

const open = async (page: Page, path: string) => {
  await page.goto(sandbox.ready().app_url + path);
  await page.locator("main h1").first().waitFor();
};

/** The section of a route, opened by its address. */
const openRoute = async (page: Page, path: string, tag: string, summary: string) => {
  await page.goto(`${sandbox.ready().app_url}${path}#tag/${tag}/${await operationIdOf(path, summary)}`);
  await page.getByRole("heading", { name: summary, exact: true }).first().waitFor();
};

async function operationIdOf(path: string, summary: string): Promise<string> {
  const { pathname, searchParams } = new URL(path, sandbox.ready().app_url);
  const name = pathname === "/docs" ? "connection" : "account";
  const answer = await fetch(`${sandbox.ready().app_url}/docs/${name}.json?lang=${searchParams.get("lang")}`);
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, { operationId: string; summary: string }>> };
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  return operations.find((operation) => operation.summary === summary)?.operationId ?? "";
}

/** The rules that the page breaks, with the elements. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(`${AXE}; null`);
  const results: AxeResults = await page.evaluate('axe.run({ resultTypes: ["violations"] })');
  return results.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

const isWiderThanTheScreen = (page: Page) => page.evaluate("document.documentElement.scrollWidth > innerWidth");

const SURFACES = [
  {
    path: "/docs",
    tag: "messages",
    en: { title: "Connection API", summary: "Sends a text and answers when the network confirms it", guide: "Errors" },
    pt: { title: "API da conexão", summary: "Envia um texto e responde quando a rede o confirma", guide: "Erros" },
  },
  {
    path: "/docs/account",
    tag: "instances",
    en: { title: "Account API", summary: "One instance", guide: "Errors" },
    pt: { title: "API da conta", summary: "Uma instância", guide: "Erros" },
  },
] as const;

/** Half of the combinations: any three of the four choices are met in all their combinations. */
const READINGS = SURFACES.flatMap((surface, first) =>
  (["en", "pt"] as const).flatMap((language, second) =>
    [WIDE, NARROW].map((viewport, third) => {
      const colorScheme: "light" | "dark" = (first + second + third) % 2 === 0 ? "light" : "dark";
      return { surface, language, viewport, colorScheme, width: viewport.width };
    }),
  ),
);

describe.each(READINGS)("$surface.path in $language at $width px, $colorScheme", ({ surface, language, viewport, colorScheme }) => {
  it("can be read by everybody, guides and routes", async () => {
    const page = await newPage({ viewport, colorScheme });
    const path = `${surface.path}?lang=${language}`;
    await openRoute(page, path, surface.tag, surface[language].summary);
    expect(await page.locator("html").getAttribute("lang")).toBe(language === "pt" ? "pt-BR" : "en");
    await page.getByRole("heading", { name: surface[language].title, exact: true }).first().waitFor();
    await page.getByRole("heading", { name: surface[language].guide, exact: true }).first().waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await isWiderThanTheScreen(page)).toBe(false);
  });
});

describe.each(SURFACES)("$path", (surface) => {
  it("finds routes and guides", async () => {
    const page = await newPage();
    await open(page, `${surface.path}?lang=en`);
    for (const name of [surface.en.summary, surface.en.guide]) {
      await page.getByRole("button", { name: "Open Search" }).first().click();
      await page.getByRole("combobox", { name: /search/i }).fill(name);
      await page.getByRole("option", { name }).first().click();
      const heading = page.getByRole("heading", { name, exact: true }).first();
      await heading.waitFor();
      expect(await heading.innerText()).toContain(name);
    }
  });

  it("is in the reader's language, and stays in the one he chooses", async () => {
    const page = await newPage({ locale: "pt-BR" });
    await open(page, surface.path);
    expect(await page.locator("main h1").first().innerText()).toBe(surface.pt.title);
    await page.getByRole("link", { name: "EN", exact: true }).click();
    await page.getByRole("heading", { name: surface.en.title }).waitFor();
    await open(page, surface.path);
    expect(await page.locator("main h1").first().innerText()).toBe(surface.en.title);
  });
});

describe("the console", () => {
  it.each([
    { viewport: WIDE, colorScheme: "light" as const },
    { viewport: NARROW, colorScheme: "dark" as const },
  ])("sends a message with the reader's key ($viewport.width px)", async (reader) => {
    const page = await newPage(reader);
    await openRoute(page, "/docs?lang=en", "messages", SURFACES[0].en.summary);
    await page.getByRole("button", { name: "Test Request" }).first().click();
    const { demo } = sandbox.ready();
    await page.locator(".scalar-app-layout input.scalar-password-input").fill(demo.connection.api_key);
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith("/api/v1/messages/text")),
      page.locator(".scalar-app-layout").getByRole("button", { name: "Send" }).first().click(),
    ]);
    const { message_id: id } = (await answer.json()) as { message_id: string };
    expect(id).toMatch(/^[0-9A-F]{16,}$/);
    await page.getByText("message_id").last().waitFor();
    expect(await violations(page)).toEqual([]);
    const inbox = await phones(sandbox.ready()).inbox(demo.contact?.phone ?? "");
    expect(JSON.stringify(inbox)).toContain(id);
    await page.keyboard.press("Escape");
    await page.locator("main:not([inert])").first().waitFor();
  });

  it("shows samples in Go, JavaScript, PHP, Python and shell", async () => {
    const page = await newPage();
    await openRoute(page, "/docs?lang=en", "messages", SURFACES[0].en.summary);
    await page
      .getByRole("button", { name: /Shell Curl|Curl/ })
      .first()
      .click();
    const offered = async () => (await page.getByRole("option").allInnerTexts()).map((name) => name.trim());
    await expect.poll(offered).toEqual(["NewRequest", "Fetch", "cURL", "Requests", "Curl"]);
  });
});

describe("the machine-readable documents", () => {
  it.each(["/docs/connection.json?lang=en", "/docs/connection.json?lang=pt", "/docs/account.json?lang=en", "/docs/account.json?lang=pt"])(
    "%s has no error that a linter finds",
    async (path) => {
      const url = sandbox.ready().app_url + path;
      const config = await createConfig({ extends: ["recommended"] });
      const problems = await lintFromString({ source: await (await fetch(url)).text(), absoluteRef: url, config });
      expect(problems.filter(({ severity }) => severity === "error").map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
    },
  );
});
