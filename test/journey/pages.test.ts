// The documents in a real browser: what a reader sees, and what his browser asks for.
import chromium from "@sparticuz/chromium";
import { type Browser, chromium as launcher, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../support/sandbox.ts";

/** A browser that talks to nobody by itself. */
const QUIET = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];
const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 360, height: 740 };

let sandbox: Sandbox;
let browser: Browser;
beforeAll(async () => {
  const launched = async () => launcher.launch({ executablePath: await chromium.executablePath(), args: QUIET, headless: true });
  [sandbox, browser] = await Promise.all([startSandbox(), launched()]);
});
afterAll(async () => {
  await browser.close();
  await sandbox.dispose();
});

let page: Page;
let trouble: string[];
beforeEach(async () => {
  page = await browser.newPage({ viewport: WIDE });
  trouble = [];
  page.on("console", (message) => void trouble.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => void trouble.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${sandbox.ready().app_url}/`)) trouble.push(`asked for ${request.url()}`);
  });
});
afterEach(async () => {
  await page.close();
  expect(trouble).toEqual([]);
});

const open = (path: string) => page.goto(sandbox.ready().app_url + path);
const isWiderThanTheScreen = () => page.evaluate("document.documentElement.scrollWidth > innerWidth");

describe.each(["/docs", "/docs/account"])("%s", (path) => {
  it("opens the route that is clicked or named by the address", async () => {
    await open(path);
    const link = page.locator("aside .routes a").nth(3);
    const id = (await link.getAttribute("href"))?.slice(1) ?? "";
    const route = page.locator(`details[id="${id}"]`);
    expect(await route.getAttribute("open")).toBeNull();
    await link.click();
    // The browser tells the page of its new address when it comes to it.
    await page.locator(`details[id="${id}"][open]`).waitFor();
    await route.locator(".examples pre").first().waitFor({ state: "visible" });
    // Below the header that stays: not hidden behind it.
    const [top, header] = await Promise.all([route.boundingBox(), page.locator("header").boundingBox()]);
    expect(top?.y ?? 0).toBeGreaterThanOrEqual((header?.height ?? 0) - 1);

    await page.goto("about:blank");
    trouble = trouble.filter((each) => each !== "asked for about:blank");
    await open(`${path}#${id}`);
    expect(await route.getAttribute("open")).not.toBeNull();
  });

  it("finds routes by words", async () => {
    await open(path);
    const shown = page.locator("aside .routes li:not([hidden])");
    const all = await shown.count();
    await page.getByRole("searchbox").fill("groups participants");
    expect(await shown.count()).toBeGreaterThan(0);
    expect(await shown.count()).toBeLessThan(all);
    for (const text of await shown.allInnerTexts()) expect(text).toMatch(/groups.*participants/);
    await page.getByRole("searchbox").fill("");
    expect(await shown.count()).toBe(all);
  });

  it("leads to the other documents and to every heading of its guide", async () => {
    await open(path);
    for (const name of ["OpenAPI", "llms.txt"]) {
      const href = await page.locator("header nav").getByRole("link", { name }).getAttribute("href");
      expect((await fetch(sandbox.ready().app_url + href)).status).toBe(200);
    }
    const headings = page.locator("aside nav > ul:not(.routes) a");
    expect(await headings.count()).toBeGreaterThan(3);
    for (const link of await headings.all()) {
      await link.click();
      const heading = page.locator(`main [id="${(await link.getAttribute("href"))?.slice(1)}"]`);
      expect(await heading.innerText()).toBe(await link.innerText());
    }
  });

  it("fits a narrow screen, every route opened", async () => {
    await page.setViewportSize(NARROW);
    await open(path);
    expect(await isWiderThanTheScreen()).toBe(false);
    await page.locator("details").evaluateAll((all) => all.forEach((each) => each.setAttribute("open", "")));
    expect(await isWiderThanTheScreen()).toBe(false);
  });
});
