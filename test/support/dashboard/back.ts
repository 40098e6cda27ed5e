import type { Page } from "playwright-core";
import { expect } from "vitest";

/** Goes back on a page that blocks navigation; the page restores its own address and content. */
export async function goBackInVain(page: Page): Promise<void> {
  const address = await page.evaluate(() => location.href);
  // The browser goes back before the page moves forward again.
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        addEventListener("popstate", () => resolve(), { once: true });
        history.back();
      }),
  );
  await expect.poll(() => page.evaluate(() => location.href)).toBe(address);
}
