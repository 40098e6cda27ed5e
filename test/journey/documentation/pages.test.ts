// Visits the documentation pages once and sends from the console. `pages.endurance.test.ts` covers every language, theme and width.
import type { Locator } from "playwright-core";
import { expect, it } from "vitest";
import { phones } from "../../support/clients.ts";
import { isWiderThanTheScreen, NARROW, SURFACES, WIDE, useReader, violations } from "./reader.ts";

const reader = useReader();

it("the Account API's page can be read by everybody", async () => {
  const [, surface] = SURFACES;
  const page = await reader().newPage({ viewport: NARROW, colorScheme: "dark" });
  await reader().openRoute(page, `${surface.path}?lang=pt`, surface.tag, surface.pt.summary);
  await page.getByRole("heading", { name: surface.pt.title, exact: true }).first().waitFor();
  expect(await violations(page)).toEqual([]);
  expect(await isWiderThanTheScreen(page)).toBe(false);
});

it("a phone shows the contents when asked, and folds them after a choice", async () => {
  const page = await reader().newPage({ viewport: NARROW });
  await reader().open(page, "/docs?lang=pt");
  const contents = page.getByRole("navigation", { name: "Conteúdo" });
  const chapter = contents.getByRole("link", { name: SURFACES[0].pt.guide, exact: true });
  await chapter.waitFor({ state: "hidden" });
  await contents.getByText("Conteúdo").press("Enter");
  expect(await violations(page, 'nav[aria-label="Conteúdo"]')).toEqual([]);
  await chapter.click();
  await chapter.waitFor({ state: "hidden" });
  await page.getByRole("heading", { name: SURFACES[0].pt.guide, exact: true }).and(page.locator(":target")).waitFor();
  await page.setViewportSize(WIDE);
  await chapter.waitFor();
  // With forced colours, the current chapter and the chosen sample are still marked.
  await page.emulateMedia({ forcedColors: "active" });
  const background = (element: Locator) =>
    element.evaluate((node) => node.ownerDocument.defaultView?.getComputedStyle(node).backgroundColor);
  expect(await background(chapter)).not.toBe(await background(contents.getByRole("link").first()));
  const samples = page.locator(".sample-names").first().getByRole("button");
  expect(await background(samples.nth(0))).not.toBe(await background(samples.nth(1)));
});

it("the first call runs as shown, and later ones link to the function that they call", async () => {
  const page = await reader().newPage();
  await reader().open(page, "/docs?lang=en");
  await page.getByRole("button", { name: "Python" }).first().click();
  const first = await page.locator(".samples").first().locator("section:visible").innerText();
  expect(first).toContain("import requests");
  expect(first).not.toContain("api(");
  const helper = page.locator("details.fold");
  expect(await helper.getAttribute("open")).toBeNull();
  await page.getByRole("link", { name: "Needs the function api" }).first().click();
  await helper.getByText("def api(").waitFor();
});

it("the Connection API's page sends a message with the reader's key", async () => {
  const [surface] = SURFACES;
  const page = await reader().newPage();
  await reader().openRoute(page, `${surface.path}?lang=en`, surface.tag, surface.en.summary);
  expect(await violations(page)).toEqual([]);
  const id = await reader().sendFromConsole(page);
  const { contact } = reader().sandbox.ready().demo;
  expect(JSON.stringify(await phones(reader().sandbox.ready()).inbox(contact?.phone ?? ""))).toContain(id);
});

it("the link of an error leads to the chapter about errors", async () => {
  const { app_url, demo } = reader().sandbox.ready();
  const headers = { "x-api-key": demo.connection.api_key };
  const wrong = await fetch(`${app_url}/api/v1/messages/text`, { headers });
  expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
  const [, href = ""] = /^<([^>]+)>; rel="help"$/.exec(wrong.headers.get("link") ?? "") ?? [];
  const page = await reader().newPage();
  await reader().open(page, href);
  const heading = page.getByRole("heading", { name: SURFACES[0].pt.guide, exact: true }).first();
  await heading.waitFor();
  const top = () => heading.evaluate((element) => element.getBoundingClientRect().top);
  await expect.poll(top, { timeout: 60_000 }).toBeLessThan(WIDE.height);
});
