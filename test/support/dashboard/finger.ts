// Touches, which need a session of the browser's own protocol.
import type { Locator, Page } from "playwright-core";

/** A real finger on the middle of what is shown, because the browser closes menus when it lifts. */
export async function finger(page: Page, on: Locator) {
  const { x = 0, y = 0, width = 0, height = 0 } = (await on.boundingBox()) ?? {};
  const session = await page.context().newCDPSession(page);
  return (type: "touchStart" | "touchEnd") =>
    session.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: type === "touchEnd" ? [] : [{ x: x + width / 2, y: y + height / 2 }],
    });
}
