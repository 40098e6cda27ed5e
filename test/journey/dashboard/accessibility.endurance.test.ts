// Every screen in both languages, themes and widths: no axe violation, no horizontal scrolling, every control reachable by keyboard.
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { axeViolations, sidewaysScroll } from "../../support/dashboard/axe.ts";
import { type Dashboard, useDashboard } from "../../support/dashboard/dashboard.ts";
import { keyboardReach } from "../../support/dashboard/keyboard.ts";
import { type Screen, SCREENS, type World } from "./screens.ts";

const dashboard = useDashboard();
let world: World;
beforeAll(() => {
  world = { dashboard: dashboard(), connection: String(dashboard().ready.demo.connection.id) };
});

/** A desktop and a phone; then the narrowest width that must not scroll horizontally. */
const WIDTHS = [1280, 360] as const;
const NARROWEST = 320;
const LANGUAGES = { pt: "pt-BR", en: "en" } as const;

function userOf(of: Dashboard, { as = "demo" }: Screen): string | null {
  return { nobody: null, demo: of.ready.demo.email, admin: of.ready.admin.email }[as];
}

/** Mimics a change in another tab: the page follows without a reload. */
async function choose(page: Page, key: "language" | "theme", value: string): Promise<void> {
  await page.evaluate(
    ([name, chosen]) => {
      localStorage.setItem(name, chosen);
      window.dispatchEvent(new StorageEvent("storage", { key: name, newValue: chosen }));
    },
    [key, value] as const,
  );
  const root = page.locator("html");
  if (key === "theme") await root.and(page.locator(`[data-theme="${value}"]`)).waitFor();
  else await root.and(page.locator(`[lang="${LANGUAGES[value as "pt" | "en"]}"]`)).waitFor();
}

describe("every screen", () => {
  it.each(SCREENS.map((screen) => [screen.name, screen] as const))("%s", async (_name, screen) => {
    const { path, reach, expect: expected = [] } = screen;
    const { page, trouble } = await dashboard().visit(typeof path === "string" ? path : path(world), { as: userOf(dashboard(), screen) });
    trouble.expect(...expected);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await reach?.(page, world);
    expect(await keyboardReach(page)).toEqual([]);
    const found: string[] = [];
    for (const language of ["pt", "en"] as const) {
      await choose(page, "language", language);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        // Scrolls away text that a sticky bar partly covers.
        await page.evaluate(() => document.documentElement.scrollTo(0, 0));
        for (const theme of ["light", "dark"] as const) {
          await choose(page, "theme", theme);
          found.push(...(await axeViolations(page)).map((line) => `${language} ${width} ${theme}: ${line}`));
        }
      }
      await page.setViewportSize({ width: NARROWEST, height: 900 });
      const sideways = await sidewaysScroll(page);
      if (sideways > 0) found.push(`${language} ${NARROWEST}: ${sideways} px too wide`);
      await page.setViewportSize({ width: WIDTHS[0], height: 900 });
    }
    expect(found).toEqual([]);
  });
});
