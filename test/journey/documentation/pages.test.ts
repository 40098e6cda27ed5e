// Visits the documentation pages once and sends from the console. `pages.endurance.test.ts` covers every language, theme and width.
import { expect, it } from "vitest";
import { phones } from "../../support/clients.ts";
import { isWiderThanTheScreen, NARROW, SURFACES, useReader, violations } from "./reader.ts";

const reader = useReader();

it("the Account API's page can be read by everybody", async () => {
  const [, surface] = SURFACES;
  const page = await reader().newPage({ viewport: NARROW, colorScheme: "dark" });
  await reader().openRoute(page, `${surface.path}?lang=pt`, surface.tag, surface.pt.summary);
  await page.getByRole("heading", { name: surface.pt.title, exact: true }).first().waitFor();
  expect(await violations(page)).toEqual([]);
  expect(await isWiderThanTheScreen(page)).toBe(false);
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
