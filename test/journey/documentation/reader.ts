// A reader of the documentation in a real browser. After each test its pages must have logged nothing, violated no policy, and contacted no
// other origin.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { openBrowser } from "../../support/browser.ts";
import { borrowSandbox, type SharedSandbox } from "../../support/shared-sandbox.ts";

export const WIDE = { width: 1280, height: 900 };
export const NARROW = { width: 390, height: 844 };
/** The narrowest screen that must not scroll horizontally. */
export const NARROWEST = { width: 320, height: 700 };
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

type Look = { viewport?: typeof WIDE; colorScheme?: "light" | "dark"; locale?: string };

class Reader {
  readonly sandbox: SharedSandbox;
  readonly #browser: Browser;
  #trouble: string[] = [];

  constructor(sandbox: SharedSandbox, browser: Browser) {
    this.sandbox = sandbox;
    this.#browser = browser;
  }

  async newPage({ viewport = WIDE, colorScheme = "light", locale = "en-US" }: Look = {}): Promise<Page> {
    const context = await this.#browser.newContext({ viewport, colorScheme, locale });
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    await page.addInitScript(`
      addEventListener("securitypolicyviolation", (event) => console.error("policy: " + event.violatedDirective + " " + event.blockedURI));
    `);
    page.on("console", (message) => {
      // The component logs its name and version.
      if (message.type() !== "info") this.#trouble.push(`${message.type()}: ${message.text()}`);
    });
    page.on("pageerror", (error) => void this.#trouble.push(`error: ${error.message}`));
    page.on("request", (request) => {
      const { origin, protocol } = new URL(request.url());
      const isOwn = origin === this.sandbox.ready().app_url || protocol === "data:" || protocol === "blob:";
      if (!isOwn) this.#trouble.push(`asked for ${request.url()}`);
    });
    return page;
  }

  async open(page: Page, path: string): Promise<void> {
    await page.goto(this.sandbox.ready().app_url + path);
    await page.locator("main h1").first().waitFor();
  }

  /** Opens a route's section by its URL. */
  async openRoute(page: Page, path: string, tag: string, summary: string): Promise<void> {
    await page.goto(`${this.sandbox.ready().app_url}${path}#tag/${tag}/${await this.#operationId(path, summary)}`);
    await page.locator("main.references-rendered").waitFor();
    await page.getByRole("heading", { name: summary, exact: true }).first().waitFor();
  }

  /** Sends the text from the open route's console with the demo connection's key; returns the message id. */
  async sendFromConsole(page: Page): Promise<string> {
    await page.getByRole("button", { name: "Test Request" }).first().click();
    const console = page.locator(".scalar-app-layout");
    await console.locator("input.scalar-password-input").fill(this.sandbox.ready().demo.connection.api_key);
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith("/api/v1/messages/text")),
      console.getByRole("button", { name: "Send" }).first().click(),
    ]);
    const { message_id: id } = (await answer.json()) as { message_id: string };
    expect(id).toMatch(/^[0-9A-F]{16,}$/);
    await page.getByText("message_id").last().waitFor();
    return id;
  }

  /** Closes the console with Escape. A tooltip would take the key first, so the pointer moves away. */
  async closeConsole(page: Page): Promise<void> {
    await page.mouse.move(0, 0);
    await page.getByRole("tooltip").waitFor({ state: "hidden" });
    // The console has its own `main`, which stays in the document.
    const isInert = () => page.evaluate<boolean>('document.querySelector("main.references-rendered").inert');
    expect(await isInert()).toBe(true);
    await page.keyboard.press("Escape");
    await expect.poll(isInert).toBe(false);
    expect(await page.locator(".scalar-client--open").count()).toBe(0);
  }

  /** Closes the pages; fails if any had a problem. */
  async closePages(): Promise<void> {
    await Promise.all(this.#browser.contexts().map((context) => context.close()));
    expect(this.#trouble.splice(0)).toEqual([]);
  }

  async #operationId(path: string, summary: string): Promise<string> {
    const { pathname, searchParams } = new URL(path, this.sandbox.ready().app_url);
    const name = pathname === "/docs" ? "connection" : "account";
    const answer = await fetch(`${this.sandbox.ready().app_url}/docs/${name}.json?lang=${searchParams.get("lang")}`);
    const { paths } = (await answer.json()) as { paths: Record<string, Record<string, { operationId: string; summary: string }>> };
    const operations = Object.values(paths).flatMap((item) => Object.values(item));
    return operations.find((operation) => operation.summary === summary)?.operationId ?? "";
  }
}

export function useReader(): () => Reader {
  let reader: Reader;
  let browser: Browser;
  beforeAll(async () => {
    const [sandbox, opened] = await Promise.all([borrowSandbox(), openBrowser()]);
    browser = opened;
    reader = new Reader(sandbox, browser);
  });
  afterEach(() => reader.closePages());
  afterAll(async () => {
    await browser.close();
    await reader.sandbox.dispose();
  });
  return () => reader;
}

/** Violated rules with their elements, on the whole page or in the elements that match `part`. */
export async function violations(page: Page, part?: string): Promise<string[]> {
  await page.evaluate(`${AXE}; null`);
  const where = part === undefined ? "document" : JSON.stringify(part);
  const results: AxeResults = await page.evaluate(`axe.run(${where}, { resultTypes: ["violations"] })`);
  return results.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

export const isWiderThanTheScreen = (page: Page): Promise<boolean> => page.evaluate("document.documentElement.scrollWidth > innerWidth");

export const SURFACES = [
  {
    path: "/docs",
    tag: "messages",
    en: { title: "Connection API", summary: "Send a text", guide: "Errors" },
    pt: { title: "API da conexão", summary: "Envia um texto", guide: "Erros" },
  },
  {
    path: "/docs/account",
    tag: "instances",
    en: { title: "Account API", summary: "One instance", guide: "Errors" },
    pt: { title: "API da conta", summary: "Uma instância", guide: "Erros" },
  },
] as const;
