import type { Page } from "playwright-core";
import { expect } from "vitest";

/** Back, on a page that does not let go: it is at its own address again, and shows what it showed. */
export async function goBackInVain(page: Page): Promise<void> {
  const address = await page.evaluate(() => location.href);
  // The browser has gone back before the page takes the step forward again.
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        addEventListener("popstate", () => resolve(), { once: true });
        history.back();
      }),
  );
  await expect.poll(() => page.evaluate(() => location.href)).toBe(address);
}
