// Checks which controls the keyboard alone can reach.
import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";

/** More focus stops than any page has. */
const MAX_STOPS = 400;

/** Focus leaves the page once after a full cycle, and once more if the focused element disappears, such as an open menu. */
const MAX_OUTSIDE = 3;

/**
 * Presses Tab until focus has cycled. Returns clickable elements it could not reach and focused elements without an outline. Reaching one
 * radio button, tab or menu item is enough: arrow keys move within the group.
 */
export async function keyboardReach(page: Page): Promise<string[]> {
  // Keys go to the front window, which may have changed.
  await page.bringToFront();
  // Loading sections show their controls later.
  await eventually("nothing is loading", 60_000, async () => (await page.locator("[role=status][aria-busy]").count()) === 0);
  // An overlay takes the focus slightly after the click that opens it.
  await eventually("what is open has the focus", 60_000, () =>
    page.evaluate(() =>
      [...document.querySelectorAll("[popover=auto]:popover-open")].every((open) => open.contains(document.activeElement)),
    ),
  );
  await page.evaluate(() => {
    document.querySelectorAll("[data-reached]").forEach((element) => element.removeAttribute("data-reached"));
  });
  const problems = new Set<string>();
  let outside = 0;
  for (let stop = 0; stop < MAX_STOPS; stop += 1) {
    await page.keyboard.press("Tab");
    const { known, problem, at } = await page.evaluate(() => {
      const element = document.activeElement;
      if (element === null || element === document.body) return { known: false, problem: "", at: "body" };
      const already = element.hasAttribute("data-reached");
      element.setAttribute("data-reached", "");
      const label = `${element.tagName.toLowerCase()} ${element.getAttribute("aria-label") ?? element.textContent?.slice(0, 40) ?? ""}`;
      const seen = (candidate: Element | null): boolean => candidate !== null && getComputedStyle(candidate).outlineStyle !== "none";
      // A restyled radio button shows the focus on its label.
      const outlined = seen(element) || seen(element.closest("label"));
      return { known: already, problem: outlined ? "" : `no outline: ${label}`, at: label };
    });
    if (problem !== "") problems.add(problem);
    // The focus has cycled or is trapped.
    outside = at === "body" ? outside + 1 : 0;
    if (known || outside === MAX_OUTSIDE) break;
  }
  const missed = await page.evaluate(() => {
    const open = [...document.querySelectorAll("dialog:modal")].at(-1) ?? document.body;
    const controls = [...open.querySelectorAll<HTMLElement>("a[href], button, input, select, textarea, summary, [tabindex='0']")];
    return controls
      .filter((control) => {
        if (control.hasAttribute("data-reached") || control.matches(":disabled, [tabindex='-1'], [type=hidden]")) return false;
        if (!control.checkVisibility({ checkVisibilityCSS: true }) || control.closest("[inert]") !== null) return false;
        if (control instanceof HTMLInputElement && control.type === "radio") {
          const group = open.querySelectorAll(`input[type=radio][name="${CSS.escape(control.name)}"]`);
          return ![...group].some((radio) => radio.hasAttribute("data-reached"));
        }
        return true;
      })
      .map((control) => `not reached: ${control.outerHTML.slice(0, 160)}`);
  });
  return [...problems, ...missed];
}
