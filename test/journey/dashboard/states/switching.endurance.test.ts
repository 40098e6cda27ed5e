// Switching pages: a page's data is requested before the click, and nothing on the page moves while the rest arrives.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { observeLayout, type Measured } from "#root/test/support/dashboard/list-on-phone.ts";
import { useDashboard } from "#root/test/support/dashboard/dashboard.ts";

const dashboard = useDashboard();
const path = () => `/connections/${dashboard().ready.demo.connection.id}`;

/** The read with this path and query. */
const reads = (page: Page, pattern: RegExp) => page.waitForResponse((answer) => pattern.test(answer.url()) && answer.ok());

it("a number's page is loaded while the pointer is on its link", async () => {
  const { page } = await dashboard().visit("/connections");
  const link = page.getByRole("link", { name: dashboard().ready.demo.connection.name, exact: true }).first();
  await link.waitFor();
  const read = Promise.all([reads(page, /\/connections\/\d+$/), reads(page, /\/activity\?hours=24$/), reads(page, /\/health$/)]);
  await link.hover();
  await read;
  // From now on nothing responds, but the click finds everything there.
  await page.route(/\/(activity\?hours=24|health)$/, () => undefined);
  await link.click();
  expect(await page.getByRole("region", { name: "Saúde do número" }).getByText("de 100").innerText()).toMatch(/^\d+ de 100$/);
});

it("the overview does not shift when the data of the first steps arrives last", async () => {
  const { page } = await dashboard().visit(null);
  await page.addInitScript(observeLayout);
  let answer = () => undefined as void;
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route(/\/activity\?hours=168$/, async (route) => {
    await held;
    await route.continue();
  });
  const others = Promise.all([reads(page, /\/activity\?hours=24$/), reads(page, /\/health$/)]);
  await page.goto(path());
  await others;
  await page.getByRole("heading", { level: 1 }).waitFor();
  answer();
  await page.getByRole("button", { name: "Conversar por aqui" }).waitFor();
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0))));
  expect((await page.evaluate<Measured>("({ ...measured })")).cls).toBeLessThanOrEqual(0.02);
});
